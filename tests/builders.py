"""The one place that makes test corpora: documents with any frontmatter, trees, git repositories."""

import json
import os
import pathlib
import subprocess

DAY = "2026-01-10"


class Raw(str):
    """A frontmatter value that is written exactly as it stands, not quoted."""


def value(item) -> str:
    """A frontmatter value as YAML: lists in flow style, strings quoted."""
    if isinstance(item, Raw):
        return str(item)
    if isinstance(item, (list, tuple)):
        return "[" + ", ".join(value(part) for part in item) + "]"
    return json.dumps(str(item), ensure_ascii=False)


def document(body: str = "", **fields) -> str:
    """A document's text: frontmatter of `fields` (None leaves a key out), then `body`."""
    lines = [f"{name}: {value(item)}" for name, item in fields.items() if item is not None]
    return "\n".join(["---", *lines, "---", "", body, ""])


class Project:
    """A directory with documents in it. Every method that writes a document returns its path."""

    def __init__(self, root: pathlib.Path):
        self.root = pathlib.Path(root)
        self.root.mkdir(parents=True, exist_ok=True)

    def write(self, path: str, content: str | bytes, mtime: float | None = None) -> pathlib.Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        if mtime is not None:
            os.utime(target, (mtime, mtime))
        return target

    def spec(self, id: str = "REQ-001", *, folder: str | None = None, text: str | bytes | None = None, body: str = "",
             mtime: float | None = None, **fields) -> pathlib.Path:
        """A requirement. `folder`: its directory, else id-slug. `text`: the whole file instead of fields and body."""
        fields = {"id": id, "title": f"Title of {id}", "status": "complete", "created": DAY, "updated": DAY} | fields
        path = f".adlc/specs/{folder or f'{id}-slug'}/requirement.md"
        return self.write(path, document(body, **fields) if text is None else text, mtime)

    def bug(self, id: str | Raw = "BUG-001", *, name: str | None = None, text: str | bytes | None = None, body: str = "",
            mtime: float | None = None, **fields) -> pathlib.Path:
        fields = {"id": id, "title": f"Title of {id}", "status": "resolved", "created": DAY, "updated": DAY} | fields
        return self.write(f".adlc/bugs/{name or f'{id}-slug'}.md", document(body, **fields) if text is None else text, mtime)

    def lesson(self, id: str = "LESSON-001", *, name: str | None = None, text: str | bytes | None = None, body: str = "",
               mtime: float | None = None, **fields) -> pathlib.Path:
        fields = {"id": id, "title": f"Title of {id}", "created": DAY, "updated": DAY} | fields
        path = f".adlc/knowledge/lessons/{name or f'{id}-slug'}.md"
        return self.write(path, document(body, **fields) if text is None else text, mtime)

    def node(self, folder: str, *, text: str | bytes | None = None, body: str = "", **fields) -> pathlib.Path:
        """A node of a spec tree: `.spec/<folder>/spec.md`."""
        fields = {"title": folder.rsplit("/", 1)[-1]} | fields
        return self.write(f".spec/{folder}/spec.md", document(body, **fields) if text is None else text)

    def git(self, *arguments: str, when: str | None = None) -> str:
        """Run git here, independent of the user's configuration. when: the date of a commit."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
        if when:
            environment |= {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        who = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false"]
        done = subprocess.run(
            ["git", *who, *arguments], cwd=self.root, env=environment, check=True, capture_output=True, timeout=60,
        )
        return done.stdout.decode()

    def commit(self, when: str | None = None) -> None:
        """Make this a git repository, if it is none, and commit all of it."""
        if not (self.root / ".git").exists():
            self.git("init", "-q", "-b", "main")
        self.git("add", "-A", "-f")
        self.git("commit", "-q", "-m", "state", "--allow-empty", when=when)

    def replay(self, commits: list[tuple], start: int = 1_770_000_000) -> None:
        """Add commits to the checked-out branch in one call. commits: (subject, {path: text, None to delete, or
        ("rename", old path)}), a minute apart, the first at `start` (seconds since 1970)."""
        if not (self.root / ".git").exists():
            self.git("init", "-q", "-b", "main")
        branch = self.git("symbolic-ref", "HEAD").strip()
        tip = self.git("for-each-ref", "--format=%(objectname)", branch).strip()
        stream = []
        for number, (subject, changes) in enumerate(commits):
            stream.append(f"commit {branch}\ncommitter Test <test@example.invalid> {start + 60 * number} +0000\n".encode())
            stream.append(b"data %d\n%s\n" % (len(subject.encode()), subject.encode()))
            if tip and not number:
                stream.append(f"from {tip}\n".encode())
            for path, text in changes.items():
                quoted = json.dumps(path, ensure_ascii=False)
                if isinstance(text, tuple):
                    stream.append(f"R {json.dumps(text[1], ensure_ascii=False)} {quoted}\n".encode())
                elif text is None:
                    stream.append(f"D {quoted}\n".encode())
                else:
                    stream.append(f"M 100644 inline {quoted}\ndata {len(text.encode())}\n{text}\n".encode())
        subprocess.run(["git", "fast-import", "--quiet", "--force"], cwd=self.root, input=b"".join(stream), check=True, timeout=60)
        self.git("reset", "-q", "--hard")

    def clone(self, target: pathlib.Path) -> "Project":
        self.git("clone", "-q", str(self.root), str(target))
        return Project(target)


def mixed(project: Project) -> Project:
    """A small corpus with every kind of document, dated, and one file that cannot be used."""
    project.spec("REQ-001", title="Login sessions", component="auth", domain="identity", stack=["python"],
                 concerns=["security"], tags=["login"], body="""## Description

A person stays signed in on one device.

## Business Rules

- BR-1: A session ends after 30 days.
- BR-2: Signing out ends every session.

## Acceptance Criteria

- [ ] AC-1: The cookie is gone after sign-out.
""")
    project.spec("REQ-002", title="Draft of the rate limiter", status="draft", component="auth", concerns=["abuse"])
    project.bug("BUG-001", title="Rate limit bypass", component="auth", concerns=["security", "abuse"], stack=["redis"],
                body="The limiter counted per connection.")
    project.bug("BUG-002", title="Open bug", status="open", component="auth")
    project.lesson("LESSON-001", title="Silent failures need a signal", component="auth", concerns=["security"],
                   tags=["login", "alerts"], body="A silent path needs a structural signal.")
    project.lesson("LESSON-002", title="Untagged wisdom", body="Write it down.")
    project.node("console/session", desc="What happens on /exit in a session.", code=["src/console.py#exit"],
                 body="# session\n\n## raw source\n\nOn /exit the client keeps the session.\n")
    project.write(".adlc/bugs/BUG-003-broken.md", b"---\nid: BUG-003\ntitle: no end")
    return project
