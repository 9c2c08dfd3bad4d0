"""What an installation owns: one file in Claude's directory, with every path it made and what it put there.

    {"schema": "adlc.installation/1", "version": …, "checkout": …, "bin": …, "delegation": bool, "later": [path, …],
     "owned": [{"path": …, "link": target} | {"path": …, "sha256": …} | {"path": …, "block": text, "created": bool}
               | {"path": …, "folder": true}]}

Outermost first. `later` are directories that were missing and that adlc makes while it works. What is not in it is not adlc's: never changed, never removed.
"""

import hashlib
import json
import os

from adlc.errors import AdlcError
from adlc.installation import states

SCHEMA = "adlc.installation/1"
FILE = "adlc/install.json"


class Manifest:
    """owned: path -> record, in order. The rest as above; "", [] and {} without an installation."""

    def __init__(self, path: str, value: dict | None = None):
        value = value or {}
        self.path, self.version, self.checkout = path, value.get("version", ""), value.get("checkout", "")
        self.bin, self.delegation = value.get("bin", ""), value.get("delegation", False)
        self.later = value.get("later", [])
        self.owned = {record["path"]: record for record in value.get("owned", [])}

    def owns(self, path: str) -> bool:
        """Whether what lies at the path now is what this installation put there."""
        record = self.owned.get(path)
        if record is None:
            return False
        if "sha256" in record:
            return digest(states.observe(path)) == record["sha256"]
        return states.is_at(path, record)

    def folders(self) -> list[str]:
        """The directories to remove once they are empty, outermost first."""
        own = [path for path, record in self.owned.items() if "folder" in record]
        return sorted({*own, *self.later}, key=lambda path: (path.count(os.sep), path))

    def render(self) -> str:
        from adlc import __version__

        return json.dumps({
            "schema": SCHEMA, "version": __version__, "checkout": self.checkout, "bin": self.bin,
            "delegation": self.delegation, "later": self.later, "owned": list(self.owned.values()),
        }, indent=1) + "\n"


def read(claude: str, tolerant: bool = False) -> Manifest:
    """The manifest of an installation into this Claude directory, empty without one.

    Raises AdlcError config_malformed for one that cannot be understood, unless `tolerant`: then it counts as empty.
    """
    path = os.path.join(claude, FILE)
    try:
        with open(path, "rb") as handle:
            value = json.loads(handle.read(states.MAX_START_FILE))
        if value["schema"] != SCHEMA:
            raise ValueError
        manifest = Manifest(path, value)
        if not all(isinstance(text, str) for text in (manifest.checkout, manifest.bin)):
            raise ValueError
        if not all(map(_is_record, manifest.owned.values())) or not all(map(os.path.isabs, manifest.later)):
            raise ValueError
        return manifest
    except (FileNotFoundError, NotADirectoryError):
        return Manifest(path)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        if tolerant:
            return Manifest(path)
        raise AdlcError("config_malformed", f"{path}: not the record of an installation", "run: ./install.sh --repair") from None


def record(path: str, state: dict) -> dict:
    """How a state is written down."""
    if "file" in state:
        return {"path": path, "sha256": digest(state)}
    return {"path": path, **state}


def digest(state: dict | None) -> str:
    return hashlib.sha256(states.encode(state["file"])).hexdigest() if state and "file" in state else ""


def _is_record(value) -> bool:
    keys = {"link": str, "sha256": str, "block": str, "folder": bool}
    return os.path.isabs(value["path"]) and sum(isinstance(value.get(key), kind) for key, kind in keys.items()) == 1
