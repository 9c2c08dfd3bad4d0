"""The delegate's configuration: read exactly or refused, never taken for a missing one."""

import os

import jsonschema
import pytest
from hypothesis import given, settings, strategies as st

from adlc.delegate import config
from adlc.user.config import schema
from adlc.user.schema import fault

GOOD = "  base_url: https://models.example/v1\n  model: m\n"
ON = {"ADLC_DELEGATE_ENABLED": "1", "ADLC_DELEGATE_BASE_URL": "https://models.example/v1", "ADLC_DELEGATE_MODEL": "m"}


@pytest.fixture
def decide(tmp_path):
    """decide(text or bytes of the file, **environment) -> Decision"""
    file = tmp_path / "config.yml"

    def run(text=None, **environment):
        if text is not None:
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return config.decide(environ={"ADLC_CONFIG": str(file), **environment})

    run.file = file
    return run


READ = {
    "comment on the section": "delegate: # a comment\n  enabled: true\n" + GOOD,
    "header comment": "# mine\n\ndelegate:\n  enabled: true\n" + GOOD,
    "flow map": "delegate: {enabled: true, base_url: 'https://models.example/v1', model: m}\n",
    "quoted keys": '"delegate":\n  "enabled": true\n' + GOOD,
    "space before the colon": "delegate :\n  enabled : true\n" + GOOD,
    "upper case": "delegate:\n  enabled: TRUE\n" + GOOD,
    "document start": "---\ndelegate:\n  enabled: true\n" + GOOD,
    "CRLF": ("delegate:\n  enabled: true\n" + GOOD).replace("\n", "\r\n"),
}


@pytest.mark.parametrize("name", READ)
def test_every_clear_spelling_is_read(decide, name):
    assert decide(READ[name]).on
    off = decide(READ[name].replace("true", "false").replace("TRUE", "FALSE"))
    assert (off.on, off.reason, off.fault) == (False, "disabled-via-config", "")


MALFORMED = {
    "byte order mark": b"\xef\xbb\xbfdelegate:\n  enabled: true\n",
    "tab": "delegate:\n\tenabled: true\n",
    "nested enabled": "delegate:\n  more:\n    enabled: true\n",
    "second section": f"delegate:\n  enabled: true\n{GOOD}delegate:\n  enabled: false\n",
    "duplicate key": f"delegate:\n  enabled: false\n  enabled: true\n{GOOD}",
    "duplicate key, quoted": f"delegate:\n  enabled: false\n  'enabled': true\n{GOOD}",
    "quoted boolean": f'delegate:\n  enabled: "false"\n{GOOD}',
    "y": f"delegate:\n  enabled: y\n{GOOD}",
    "yes": f"delegate:\n  enabled: yes\n{GOOD}",
    "number": f"delegate:\n  enabled: 1\n{GOOD}",
    "empty": f"delegate:\n  enabled:\n{GOOD}",
    "unknown key": f"delegate:\n  enbaled: true\n{GOOD}",
    "unknown section": f"delegates:\n  enabled: true\n{GOOD}",
    "key at the top": "enabled: true\n",
    "alias": f"x: &x true\ndelegate:\n  enabled: *x\n{GOOD}",
    "anchor": f"delegate: &d\n  enabled: true\n{GOOD}",
    "merge key": f"delegate:\n  <<: {{enabled: true}}\n{GOOD}",
    "tag": f"delegate: !!map\n  enabled: true\n{GOOD}",
    "python tag": "delegate:\n  enabled: !!python/object/apply:os.system ['true']\n",
    "two documents": f"delegate:\n  enabled: true\n{GOOD}---\nx: 1\n",
    "list": "- delegate\n", "text": "delegate\n", "not utf-8": b"delegate:\n  enabled: true # \xff\n", "utf-16": "delegate:\n".encode("utf-16"),
    "over 64 KiB": f"delegate:\n  enabled: true\n{GOOD}#" + "x" * 65536, "deep": "[" * 30000, "unclosed": "delegate: {enabled: true",
    "control character": b"delegate:\n  enabled: true\x00\n",
}


@pytest.mark.parametrize("name", MALFORMED)
def test_an_unclear_file_is_malformed_even_when_the_environment_says_yes(decide, name):
    for environment in ({}, ON):
        decision = decide(MALFORMED[name], **environment)
        assert (decision.on, decision.reason) == (False, "disabled-via-config")
        assert decision.fault.startswith(f"the configuration {decide.file} is malformed: ") and "\n" not in decision.fault


@pytest.mark.parametrize("kind", ["directory", "device", "fifo", "dangling link", "link to a device"])
def test_what_is_no_regular_file_is_malformed(decide, kind, tmp_path):
    file = decide.file
    {"directory": file.mkdir, "device": lambda: file.symlink_to("/dev/null"), "fifo": lambda: os.mkfifo(file),
     "dangling link": lambda: file.symlink_to(tmp_path / "nowhere"), "link to a device": lambda: file.symlink_to("/dev/zero")}[kind]()
    decision = decide(**ON)
    assert (decision.on, decision.reason) == (False, "disabled-via-config") and "malformed" in decision.fault


def test_a_link_to_a_regular_file_is_read(decide, tmp_path):
    (tmp_path / "real.yml").write_text("delegate:\n  enabled: true\n" + GOOD)
    decide.file.symlink_to(tmp_path / "real.yml")
    assert decide().on


def test_a_relative_place_is_refused():
    decision = config.decide(environ={"ADLC_CONFIG": "config.yml", **ON})
    assert (decision.on, decision.reason) == (False, "disabled-via-config")


@pytest.mark.parametrize("text", [None, "", "\n", "# only\n# comments\n", "delegate:\n", "delegate: {}\n"])
def test_nothing_written_is_not_configured_rather_than_refused(decide, text):
    assert decide(text).reason == "not-opted-in"
    assert decide(text, **ON).on


def test_the_order_of_the_sources(decide):
    no, yes = "delegate:\n  enabled: false\n", "delegate:\n  enabled: true\n" + GOOD
    assert decide(no, **ON).on
    assert decide(no, **{**ON, "ADLC_DELEGATE_ENABLED": "true"}).reason == "disabled-via-config"
    assert decide(yes, ADLC_DISABLE_DELEGATE="true").on
    assert decide(yes, **ON, ADLC_DISABLE_DELEGATE="1").reason == "disabled-via-env"
    assert decide(yes, ADLC_DELEGATE_MODEL="other").provider.model == "other"
    assert config.decide(model="flag", environ={"ADLC_CONFIG": str(decide.file), "ADLC_DELEGATE_MODEL": "other"}).provider.model == "flag"
    # An endpoint and a model alone permit nothing.
    decide.file.unlink()
    assert decide(**{k: v for k, v in ON.items() if k != "ADLC_DELEGATE_ENABLED"}).reason == "not-opted-in"


KEYS = ["sk-abc123def456ghi7", "sk_live_abcdef123456", "gsk_abcdef1234567890abcd", "hf_abcdefghijklmnopqrst", "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x", "r8_abcdefghijklmnopqrst1234", "AKIAIOSFODNN7EXAMPLE", "ASIAIOSFODNN7EXAMPLE", "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
        "A1B2C3D4E5F6G7H8I9J0", "Bearer abc123def456", "lower_case", "WITH SPACE", "KEY\n", "KEY\u0661", "1KEY", "$KEY", "PREFIX_A1B2C3D4E5F6G7H8I9J0"]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_in_the_place_of_its_name_is_refused_and_never_repeated(decide, key):
    for decision in (
        decide(**ON, ADLC_DELEGATE_API_KEY_ENV=key),
        decide(f"delegate:\n  enabled: true\n{GOOD}  api_key_env: {__import__('json').dumps(key)}\n"),
    ):
        assert (decision.on, decision.reason) == (False, "disabled-via-config")
        assert key.strip() not in decision.fault and "NAME of an environment variable" in decision.fault


def test_a_key_in_any_other_place_of_the_file_is_not_repeated(decide):
    key = "sk-abc123def456ghi7"
    for text in (f"delegate:\n  {key}: true\n", f"{key}\n", f"delegate:\n  enabled: {key}\n", f"delegate:\n  enabled: true\n  model: {key}\n  base_url: https://x.example\n",
                 f"delegate:\n  enabled: true\n  model: m\n  base_url: https://{key}@x.example\n", f"delegate:\n  enabled: true\n  model: m\n  base_url: https://x.example?k={key}\n"):
        decision = decide(text)
        assert not decision.on and decision.fault and key not in decision.fault


def test_an_unset_empty_or_unusable_key_variable_switches_it_off(decide):
    environment = {**ON, "ADLC_DELEGATE_API_KEY_ENV": "MY_KEY"}
    for value in (None, "", "  ", "a\nb", "a b", "kéy"):
        decision = decide(**environment, **({} if value is None else {"MY_KEY": value}))
        assert (decision.on, decision.reason) == (False, "disabled-via-config") and "MY_KEY" in decision.fault
    assert decide(**environment, MY_KEY="abc\n").provider.key == "abc"


@pytest.mark.parametrize("url, allowed, with_http", [
    ("https://models.example/v1", True, True), ("https://models.example:8443/v1/", True, True), ("http://localhost:11434/v1", True, True),
    ("http://127.0.0.1:8080", True, True), ("http://127.9.9.9", True, True), ("http://[::1]:8080/v1", True, True),
    ("http://models.example/v1", False, True), ("http://10.0.0.7/v1", False, True), ("http://127.0.0.1.models.example/", False, True),
    ("http://localhost.models.example/", False, True), ("http://0x7f.1/", False, True),
    ("ftp://models.example", False, False), ("models.example", False, False), ("https://", False, False), ("https://a b", False, False),
    ("https://user:pw@models.example", False, False), ("https://models.example/?q=1", False, False), ("https://models.example/#x", False, False),
    ("https://models.example:99999", False, False), ("https://models.example:0", False, False), ("https://m\u00f6dels.example", False, False),
    ("file:///etc/passwd", False, False), ("http://127.0.0.1\\@models.example/", False, False), ("", False, False),
])
def test_plain_http_only_to_this_machine_unless_allowed(decide, url, allowed, with_http):
    for allow, want in (("false", allowed), ("true", with_http)):
        text = f"delegate:\n  enabled: true\n  model: m\n  allow_http: {allow}\n"
        assert decide(text, ADLC_DELEGATE_BASE_URL=url).on is want, url


def test_there_is_no_default_endpoint_model_or_key(decide):
    assert "no endpoint" in decide(ADLC_DELEGATE_ENABLED="1").fault
    assert "no model" in decide(ADLC_DELEGATE_ENABLED="1", ADLC_DELEGATE_BASE_URL="https://models.example").fault
    provider = decide(**ON, OPENAI_API_KEY="x", MOONSHOT_API_KEY="y").provider
    assert (provider.key_name, provider.key) == ("", "")


KEYS_OF_FILE = st.sampled_from(["delegate", "ids", "roots", "enabled", "base_url", "model", "api_key_env", "allow_http", "max_tokens", "timeout", "x"])
VALUES = st.one_of(st.none(), st.booleans(), st.integers(-5, 2_000_000), st.text(max_size=5), st.just("x" * 501))
DOCUMENTS = st.recursive(VALUES, lambda below: st.one_of(st.lists(below, max_size=2), st.dictionaries(KEYS_OF_FILE, below, max_size=4)), max_leaves=8)
REFERENCE = jsonschema.Draft202012Validator(schema())


@settings(max_examples=1500, deadline=None)
@given(st.one_of(DOCUMENTS, st.dictionaries(st.just("delegate"), st.dictionaries(KEYS_OF_FILE, VALUES, max_size=4))))
def test_the_gate_judges_by_the_schema_exactly_as_jsonschema_does(document):
    assert (fault(document, schema()) is None) == REFERENCE.is_valid(document)


def test_a_schema_with_a_keyword_that_is_not_understood_is_refused():
    with pytest.raises(ValueError):
        fault("x", {"type": "string", "pattern": "^y$"})
