"""Build the index that adlc context answers from, or check whether it is up to date."""

from adlc import output, project
from adlc.errors import NO, OK, AdlcError

EXAMPLES = [
    ("adlc index rebuild", "embed what is new, with the model used before (at first the embedded one, offline)"),
    ("adlc index rebuild --check", "print the state; exit code 1 unless it is fresh"),
    ("adlc index rebuild --api-url https://models.example/v1 --model small --api-key-env MY_KEY", "with an endpoint of yours, from now on"),
    ("adlc index rebuild --local", "back to the embedded model"),
]


def arguments(parser) -> None:
    parser.add_argument("action", choices=["rebuild"], help="rebuild: bring the index up to date")
    parser.add_argument("--check", action="store_true", help="only tell the state")
    parser.add_argument("--api-url", metavar="URL", help="embed with this OpenAI-compatible endpoint, from now on")
    parser.add_argument("--model", metavar="NAME", help="the endpoint's model")
    parser.add_argument("--api-key-env", metavar="NAME", help="the environment variable that holds the endpoint's key")
    parser.add_argument("--api-key", metavar="KEY", help="the key itself, for this call only; other users can see it in the process list")
    parser.add_argument("--allow-http", action="store_true", help="allow plain http to another machine")
    parser.add_argument("--local", action="store_true", help="go back to the embedded model")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--root", metavar="DIR", help="the project's root; default: the nearest one above")


def run(options) -> int:
    root = project.root(options.root)
    if options.check:
        return check(root, options.json)
    _consistent(options)
    warnings = []
    if options.api_key is not None:
        warnings.append(
            "--api-key can be seen in the process list and the shell's history, and adlc context will not know it: "
            "set a variable and pass --api-key-env"
        )
    built = rebuild(root, options.json, **_choice(options))
    if options.json:
        output.document("index", built.as_json(warnings))
        return OK
    for warning in warnings:
        output.talk(f"adlc: {warning}")
    output.text([built.line()])
    built.tell_skipped()
    return OK


def _consistent(options) -> None:
    of_api = options.api_key is not None or options.api_key_env or options.model or options.allow_http
    if options.local and (options.api_url or of_api):
        raise AdlcError("usage", "--local takes none of the options of an endpoint", "adlc index rebuild --local")
    if of_api and not options.api_url or options.api_url and not options.model:
        raise AdlcError("usage", "an endpoint needs --api-url and --model", "adlc index rebuild --api-url URL --model NAME --api-key-env VARIABLE")
    if options.api_key is not None and options.api_key_env:
        raise AdlcError("usage", "--api-key and --api-key-env are two keys", "pass --api-key-env only")


def _choice(options) -> dict:
    """What the options say about the model: nothing, the embedded one, or an endpoint."""
    if not options.api_url:
        return {"named": None} if options.local else {}
    from adlc.index.endpoint import Endpoint

    return {"named": Endpoint(options.api_url, options.model, options.api_key_env or "", options.allow_http), "key": options.api_key}


class Built:
    """What a rebuild did, for both commands that do one."""

    def __init__(self, outcome):
        self.outcome, self.metadata = outcome, outcome.metadata

    def line(self) -> str:
        if not self.outcome.changed:
            return f"Index: fresh ({facts(self.metadata)})"
        return f"Index: built ({facts(self.metadata)}; {self.outcome.embedded} embedded, {self.outcome.reused} known)"

    def as_json(self, warnings: list[str]) -> dict:
        skipped = [{"path": s.path, "corpus": s.corpus, "reason": s.reason} for s in self.outcome.skipped]
        return {
            "action": "built" if self.outcome.changed else "unchanged", "state": "fresh", "why": "", "changes": None,
            "index": described(self.metadata), "embedded": self.outcome.embedded, "reused": self.outcome.reused,
            "skipped": skipped, "warnings": warnings,
        }

    def tell_skipped(self) -> None:
        if self.outcome.skipped:
            output.talk(f"adlc: {len(self.outcome.skipped)} file(s) could not be used; adlc list tells which and why")


def rebuild(root: str, quiet: bool, **choice) -> Built:
    """Rebuild, with progress for a person unless `quiet`. choice: `named` and `key` of index.rebuild."""
    from adlc import env
    from adlc.index.rebuild import rebuild as rebuild_index

    env.TALK = not quiet
    if quiet:
        return Built(rebuild_index(root, **choice))
    bar = output.Progress("adlc: embedding")
    try:
        return Built(rebuild_index(root, **choice, progress=bar, waiting=lambda: output.talk("adlc: waiting for another rebuild")))
    finally:
        bar.end()


def check(root: str, as_json: bool) -> int:
    """Print how the index stands; OK only when it is fresh."""
    from adlc.index import freshness

    found, metadata, others = freshness.look(root)
    if as_json:
        counts = {"added": found.added, "changed": found.changed, "removed": found.removed}
        output.document("index", {
            "action": "checked", "state": found.state, "why": found.why, "changes": counts if found.added is not None else None,
            "index": metadata and described(metadata), "othersFresh": others,
        })
    else:
        output.text([_check_line(found, metadata, others)])
    return OK if found.fresh else NO


def _check_line(found, metadata, others) -> str:
    if found.fresh:
        return f"Index: fresh ({facts(metadata)})" + ("" if others else "; lessons or bugs changed since")
    about = f"{facts(metadata)}; {found.why}" if metadata else output.single_line(found.why)
    return f"Index: {found.state} ({about}) — run: adlc update"


def facts(metadata) -> str:
    """`built 2026-06-26, 34 specs, 672 chunks, model: …`"""
    return (
        f"built {metadata.build_timestamp[:10]}, {metadata.spec_count} specs, {metadata.chunk_count} chunks, "
        f"model: {output.single_line(metadata.model, 80)}"
    )


def described(metadata) -> dict:
    return {
        "builtAt": metadata.build_timestamp, "specHash": metadata.spec_hash, "specCount": metadata.spec_count,
        "otherCount": metadata.other_count, "chunkCount": metadata.chunk_count, "model": metadata.model,
        "modelFingerprint": metadata.model_fingerprint, "embeddingDim": metadata.embedding_dim, "apiUrl": metadata.api_url,
    }
