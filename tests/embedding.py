"""An embeddings endpoint on loopback whose vectors follow from the texts, for tests of the index."""

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

MODEL = "test-model"


def vector(text: str, dim: int = 8) -> list[float]:
    """Another direction for each text."""
    return [byte - 127.5 for byte in hashlib.sha256(text.encode()).digest()[:dim]]


class Server:
    """url, texts: all texts it was sent. dim: of its vectors. status: what it answers, 200 by default.

    hold: an Event that every answer waits for. keys: the Authorization headers it was sent.
    """

    def __init__(self):
        self.texts, self.keys, self.dim, self.status, self.hold = [], [], 8, 200, None
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.texts += body["input"]
                server.keys.append(self.headers["Authorization"])
                if server.hold is not None:
                    server.hold.wait(60)
                rows = [{"index": n, "embedding": vector(text, server.dim)} for n, text in enumerate(body["input"])]
                answer = json.dumps({"data": rows} if server.status == 200 else {"error": {"message": "no"}}).encode()
                try:
                    self.send_response(server.status)
                    self.send_header("Content-Length", str(len(answer)))
                    self.end_headers()
                    self.wfile.write(answer)
                except OSError:
                    pass  # the client is gone

            def log_message(self, *_):
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self) -> None:
        """From now on the port refuses connections."""
        if self.hold is not None:
            self.hold.set()
        self._http.shutdown()
        self._http.server_close()

    def options(self) -> tuple:
        return "--api-url", self.url, "--model", MODEL


@pytest.fixture
def endpoint():
    server = Server()
    yield server
    server.close()
