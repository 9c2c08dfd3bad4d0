"""Credentials are found in every form they are written in; prose and paths are left alone."""

import json
import random

import pytest

from adlc.telemetry.redact import MARK, redact

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
BODY = "MIIEpAIBAAKCAQEA7bq3uX0fQk5mJvTQh1yKq2Zx8c9d0eFgHiJkLmNoPqRsTuVw\nXyZ0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX"

# name -> (text around it, the part that must not survive)
FORMS = {
    "ghp_": ("use {} now", "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"),
    "github_pat_": ("use {} now", "github_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789abcdefghij"),
    "gho_": ("use {} now", "gho_16C7e42F292c6912E7710c838347Ae178B4a"),
    "sk- short": ("key {} here", "sk-abc123def4"),
    "lower-case bearer": ("authorization: bearer {} sent", "a8f5f167f44f4964e6c998dee827110c"),
    "Bearer": ("Authorization: Bearer {} sent", "mF_9.B5f-4.1JqMzQ7x"),
    "Basic": ("Authorization: Basic {} sent", "dXNlcjpwYXNzd29yZDEyMw=="),
    "lower-case api_key": ("with api_key={} set", "abcdef0123456789"),
    "API_KEY": ("with MY_API_KEY={} set", "q9w8e7r6t5y4"),
    "*_SECRET*": ("AWS_SECRET_ACCESS_KEY={} set", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    "*_PASSWORD": ("DB_PASSWORD={} set", "hunter2hunter"),
    "xoxb-": ("slack {} bot", "xoxb-123456789012-1234567890123-aBcDeFgHiJkLmNoPqRsTuVwX"),
    "AIza": ("maps {} key", "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY"),
    "JWT": ("session {} ended", JWT),
    "glpat-": ("gitlab {} token", "glpat-ABCdef123456ghijKLMN"),
    "URL userinfo": ("clone https://{}@example.com/x.git now", "deploy:s3cr3tPass"),
    "PEM": ("-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----", BODY),
    "JSON-quoted token": ('{{"token": "{}"}}', "opaque-value-without-any-form"),
    "AKIA": ("id {} found", "AKIAIOSFODNN7EXAMPLE"),
    "whsec_": ("hook {} signs", "whsec_XkH1zxFUbEctT2NLLzPkkGoaXmI63Joz"),
    "hvs.": ("vault {} opens", "hvs.Gw82KwD6rQJM9UayY20948VGab"),
    "dapi": ("bricks {} end", "dapi87835b92558589eaff309cad68386d07"),
    "glsa_": ("grafana {} end", "glsa_iLJXgucAey3Yj1ivhNLY7yeKJoKf8rx5_93e83190"),
    "ATATT": ("jira {} end", "ATATT3xFfGF0ueG8QllXjj03utgTG16Msi5njI6UcXu05NZR6J18VSnltBIk"),
    "dckr_pat_": ("image {} end", "dckr_pat_4fH0lc8HmnCspFGxuz8PemMlmRN"),
    "doppler": ("config {} end", "dp.pt.C27p2y8Z5Bzk6uCiN6F9nhBMIA6hQsrpyVJa9mHCLbb"),
    "discord hook": ("post to {} now", "https://discord.com/api/webhooks/123456789012345678/vOrqPOppdL7YLlwBMSxY12"),
    "telegram": ("bot {} runs", "123456789:AAkWop0sDJLynCTqvFLh6nfcaZa2Eu4y2Ls"),
    "twilio": ("key {} calls", "SKb9c7369237caf3511061fea83537c7fe"),
    "atlasv1": ("state {} end", "u4EJc5d2xFJwiF.atlasv1.eGuQV7KQtMu4YKfEvA2eqeQP2ubl6uouq10q3t8FA8askOs"),
    "kubeconfig": ("client-key-data: {} end", "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQo1234"),
    "bold name": ("**Password:** {} is it", "hunter2hunter"),
}


def leaked(text: str, secret: str) -> bool:
    """Whether eight characters in a row of the secret can still be read."""
    flat = "".join(text.replace("\\n", "").split())
    secret = "".join(secret.split())
    size = min(8, len(secret))
    return any(secret[i:i + size] in flat for i in range(len(secret) - size + 1))


@pytest.mark.parametrize("name", FORMS)
def test_each_form_is_redacted_and_nothing_else(name):
    around, secret = FORMS[name]
    out, count = redact(around.format(secret))
    assert count == 1 and not leaked(out, secret)
    assert name == "PEM" or out == around.format(MARK)


@pytest.mark.parametrize("name", FORMS)
def test_each_form_is_redacted_inside_json(name):
    around, secret = FORMS[name]
    for text in (
        json.dumps({"note": around.format(secret), "other": 1}),
        json.dumps({"log": json.dumps({"note": around.format(secret)})}),
        json.dumps([secret if name not in ("JSON-quoted token", "lower-case bearer", "Bearer", "Basic", "URL userinfo", "PEM") else around.format(secret)])
        if name in ("ghp_", "github_pat_", "gho_", "sk- short", "xoxb-", "AIza", "JWT", "glpat-", "AKIA") else json.dumps({"token": secret}),
        f'{{"api_key":"{secret}"}}' if "\n" not in secret else json.dumps({"private_key": secret}),
    ):
        out, count = redact(text)
        assert count >= 1 and not leaked(out, secret), out


@pytest.mark.parametrize("separator", ["\n", "\r\n", "\n    ", "\n> ", "\\n", "\\r\\n", "\x00", "\u2028", "\u200b"])
@pytest.mark.parametrize("name", FORMS)
def test_each_form_is_redacted_when_a_break_splits_it_anywhere(name, separator):
    around, secret = FORMS[name]
    flat = secret.replace("\n", "")
    for place in range(1, len(flat)):
        text = around.format(flat[:place] + separator + flat[place:])
        out, count = redact(text)
        rest = out.replace(separator, "")
        assert count >= 1 and not leaked(rest, flat), (place, out)
        assert not leaked(out, flat), (place, out)


@pytest.mark.parametrize("text", [
    "token ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\nThen go on.",
    "id AKIAIOSFODNN7EXAMPLE\nTHEN go on",
    "key sk-abc123def4\nThen go on",
    "authorization: bearer a8f5f167f44f4964e6c998dee827110c\nThen go on",
    f"session {JWT}\nThen it ends",
])
def test_the_next_line_after_a_whole_token_stays(text):
    out, count = redact(text)
    assert count == 1 and out.split("\n")[1] == text.split("\n")[1]


def test_each_line_of_an_environment_file_keeps_its_name():
    text = "API_KEY=abc123def\nDB_PASSWORD=foo-bar-baz\nDB_HOST=localhost\nDB_USER=me\n"
    assert redact(text) == (f"API_KEY={MARK}\nDB_PASSWORD={MARK}\nDB_HOST=localhost\nDB_USER=me\n", 2)


def test_one_credential_on_each_line_is_one_credential_found_on_each():
    for around, secret in FORMS.values():
        if "\n" not in around:
            out, _ = redact("\n".join([around.format(secret)] * 3))
            assert not leaked(out, secret), out


def test_redacting_twice_changes_nothing_more():
    for around, secret in FORMS.values():
        out, _ = redact(around.format(secret))
        assert redact(out) == (out, 0)


LEFT_ALONE = [
    "The bearer of this message is authorised.", "Bearer authentication is described in RFC 6750.", "Use a bearer token for each call.",
    "Basic understanding of the algorithm is needed.", "Basic authentication sends credentials in every request.", "basic:", "Basic Usage",
    "A token is a unit of text; tokens: 20000", "max_tokens=20000", "token_count: 42", "the token: opaque to the client", "Token: required",
    "Password: must have 12 characters", "Passwords are hashed; password rules live in docs/password-rules.md", "secret: none",
    "api_key_env: OPENAI_API_KEY", "api_key: the name of the variable", 'api_key = os.environ["KEY"]', "token = get_token(request)",
    "password=${DB_PASSWORD}", "password=<your password>", 'password: "the user\'s own words"', "api_key: null", "token: REQ-123", "secret: LESSON-034",
    "token: src/auth/token.py", "password: 2026-01-01", "see https://example.com:8080/a@b", "http://localhost:3000/x", "git@github.com:o/r.git",
    "ssh://git@example.com/o/r", "sk-learn and scikit-learn", "task-1234567 and risk-based1 disk-cache01", "ask-me-anything-2026", "the sk-prefix",
    "uuid 123e4567-e89b-12d3-a456-426614174000", "sha 643ded9c0ffee643ded9c0ffee643ded9c0ffee6", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "-----BEGIN CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----", "eyJ is how a JWT starts", "AIza is a prefix", "AKIA is a prefix", "ghp_ tokens",
    "x-api-key: see the settings page", "if token == other_token1:", "secret_name=production", "C:\\new\\notes\\read.me", "passphrase: correct",
    "The author_key: 12", "monkey: 123456abc", "keyboard=qwerty12345", "primary_key: user_id_12345", "foreign_key=orders_2024", "sort key: created_at_2024",
    "**Token:** the unit of text", "**Password:** at least 12 characters", "key-value pairs and key-points", "SKU 12345", "the atlasv1 format", "dp.pt is a prefix",
    "12:30:45 and 127.0.0.1:8080", "https://discord.com/channels/1234567890/55", "a figd_ prefix", "pul-request", "ATBB is a name", "design=flat&sig=off",
]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_ordinary_text_is_left_alone(text):
    assert redact(text) == (text, 0)


def test_two_thousand_ordinary_sentences_and_paths_are_left_alone():
    random.seed(7)
    subjects = "the session|a bearer|each token|the password reset page|our API|the secret store|a basic check|the key|an access policy|the login form|the private method|every credential".split("|")
    verbs = "expires after|is stored in|must not appear in|is passed to|was renamed in|is described by|fails without|depends on|waits for|is retried by".split("|")
    objects = "30 days|REQ-019|BUG-012|the header|src/auth/session_token.py|docs/api-keys.md:42|version 2.4.1|2026-11-30|a cookie|step 7|tests/unit/test_password1.py|the user's browser|1,200 words|v1/chat/completions|key=value pairs|~/.config/app/config.yml|a9c1f2|127.0.0.1:8765".split("|")
    ends = [".", ": see below.", "; then it ends.", " (informed by LESSON-034).", " — or not?", ",\nand goes on", "\n\nNext paragraph.", ":\n- one\n- two"]
    folders = "src lib tests docs partials tools .adlc/specs/REQ-042-login bin/auth packages/token-store".split()
    names = "token session password_reset api_key secret_store basic bearer README credential index requirement".split()
    suffixes = ".py .md .ts .sh .yml .json .test.tsx".split()
    lines = [f"{random.choice(subjects).capitalize()} {random.choice(verbs)} {random.choice(objects)}{random.choice(ends)}" for _ in range(1500)]
    lines += [f"{random.choice(folders)}/{random.choice(names)}{random.choice(suffixes)}" + random.choice(["", f":{random.randint(1, 900)}"]) for _ in range(500)]
    touched = [line for line in lines if redact(line)[1]]
    assert len(lines) == 2000 and touched == []
    joined = "\n".join(lines)
    assert redact(joined) == (joined, 0)


def test_this_repository_s_own_documents_are_left_alone():
    from conftest import ROOT

    files = [*(ROOT / ".adlc").rglob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "templates").glob("*.md")]
    assert len(files) > 20 and [f.name for f in files if redact(f.read_text())[1]] == []


def test_long_input_takes_linear_work():
    for unit in ("a" * 50, "A1_", "key=", "sk-", "eyJ", "x\n", "://a:", "token ", "-----BEGIN RSA PRIVATE KEY-----", '"password": "', "AKIA", "a.b-c_", "\\n", "sk-abcdef\n", "sk-a1b2c3\n", "eyJ\n", "password=\n", "api_key: a\n"):
        redact(unit * (200_000 // len(unit)))


@pytest.mark.parametrize("unit", ["token::", "TOKEN:", "password:a", "api_key:", "secret=:"])
def test_a_run_of_nothing_but_signs_is_not_read_once_for_each(unit):
    import sys

    calls = 0

    def count(_, event, __):
        nonlocal calls
        calls += event == "call"

    text = unit * (20_000 // len(unit))
    sys.setprofile(count)
    try:
        redact(text)
    finally:
        sys.setprofile(None)
    assert calls < 4 * len(text)


def test_a_value_longer_than_what_decides_is_redacted_to_its_end():
    for text, after in (("password: " + "a1B2" * 200, " and on"), ("API_KEY=" + "x9" * 500, ")."), ("token: '" + "q7" * 300, "' it is")):
        name = text[:8]
        out, count = redact(text + after)
        assert count == 1 and out.startswith(name) and out.endswith(MARK + after) and len(out) < 40
