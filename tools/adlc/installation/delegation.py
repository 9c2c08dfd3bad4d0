"""What --with-delegation says and prepares. Nothing here switches anything on."""

import shlex

NOTICE = """\
Data governance. Delegated reading hands documents of your repositories to a model that you choose:
  what    the specs, bugs and lessons that /spec found, each with its id and path, and a question about them
  where   to the endpoint that you configure; none is built in, and its operator's terms apply to what you send
  before  credentials are taken out; confidential text is not recognised: do not switch it on where documents
          must not leave this machine
  until   it stays off until your configuration says `enabled: true`; ADLC_DISABLE_DELEGATE=1 stops it at once"""

CONFIG = """\
# Delegated reading: off until `enabled` says true. What is sent, and every key: docs/delegation.md of adlc.
delegate:
  enabled: false
  # base_url: https://models.example/v1   # an OpenAI-compatible endpoint
  # model: small-model
  # api_key_env: MY_MODEL_KEY             # the NAME of the variable with the key; leave out for none
"""


def how_to_enable(config: str) -> list[str]:
    return [
        f"Delegated reading is off until these lines stand in {shlex.quote(config)}:",
        "", "    delegate:", "      enabled: true", "      base_url: https://models.example/v1   # an OpenAI-compatible endpoint",
        "      model: small-model", "      api_key_env: MY_MODEL_KEY             # the NAME of the variable with the key; leave out for none",
        "", "then run: adlc gate",
    ]


def config_path() -> str:
    """The user's configuration file. Raises AdlcError config_malformed for a place that is not clear."""
    from adlc.errors import AdlcError
    from adlc.user import config

    try:
        return config.path()
    except config.Malformed as exc:
        raise AdlcError("config_malformed", str(exc), "unset ADLC_CONFIG or make it absolute") from None
