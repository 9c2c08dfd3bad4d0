"""What to call a remote when telling a person about it: the forge by its host, never credentials."""

import re

_FORGES = (
    ("azure-devops", ("dev.azure.com", "visualstudio.com")),
    ("github", ("github.com",)),
    ("gitlab", ("gitlab.com",)),
    ("bitbucket", ("bitbucket.org",)),
)
_HOST = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^/@]*@)?(\[[0-9a-f:.]+\]|[^/:]+)(:[0-9]+)?|(?:[^/@:]+@)?([^/:]{2,}):(?!//)", re.IGNORECASE)


def forge(url: str) -> str:
    """The forge's name, else the host (with a port), else `local` for a path or file URL."""
    if url.lower().startswith("file:"):
        return "local"
    match = _HOST.match(url)
    if match is None:
        return "local"
    host = (match[1] or match[3]).lower()
    for name, domains in _FORGES:
        if any(host == domain or host.endswith("." + domain) for domain in domains):
            return name
    return host + (match[2] or "")
