"""adlc of-file for people: no claim, a claim that does not count, and nothing to look at are different answers."""


def test_a_file_that_no_document_claims_is_said_to_be_unclaimed(adlc, project):
    project.spec("REQ-001", scope=["src/auth/session.py"])
    result = adlc("of-file", "src/mail/send.py")
    assert (result.code, result.text) == (0, "")
    assert result.talk.splitlines() == [
        "adlc: no document precisely claims src/mail/send.py (1 looked at)",
        "adlc: what usually changes with it is not known: no git history",
    ]
    assert adlc("of-file", "src/auth/session.py").talk == ""


def test_specs_that_are_no_prior_art_are_named_when_they_alone_claim_a_file(adlc, project):
    project.spec("REQ-001", scope=["src/auth/session.py"], status="draft")
    talk = adlc("of-file", "src/auth/session.py").talk
    assert talk.startswith("adlc: no document precisely claims src/auth/session.py (1 looked at); left out as no prior art: REQ-001 (draft)\n")


def test_a_file_outside_the_project_and_a_project_without_documents_are_no_missing_claim(adlc, project, tmp_path):
    (project.root / ".adlc/specs").mkdir(parents=True)
    assert adlc("of-file", "src/a.py").talk.startswith("adlc: no documents here yet\n")
    project.spec("REQ-001", scope=["src/auth/session.py"])
    outside = tmp_path / "elsewhere.py"
    assert adlc("of-file", outside, "--root", project.root).talk.startswith(f"adlc: {outside} is not below {project.root}: ")
