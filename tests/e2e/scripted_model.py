"""A scripted model on 127.0.0.1 that speaks enough of the Messages API to drive the real Claude Code.

A script is a generator: it is given the first request, yields Tool or Say, and is sent the Result of each tool.
Requests that are not the conversation's (titles, counts) are answered with a word; a sub-agent can have a script of its own.
"""

import http.server
import json
import threading


class Tool:
    """One tool call, with an optional sentence before it."""

    def __init__(self, name: str, say: str = "", **arguments):
        self.name, self.say, self.arguments = name, say, arguments


class Say:
    """Text that ends the turn."""

    def __init__(self, text: str):
        self.text = text


class Result:
    """What a tool gave back. failed: it was denied, or its command exited non-zero."""

    def __init__(self, block: dict):
        content = block.get("content", "")
        self.text = content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
        self.failed = bool(block.get("is_error"))

    def __repr__(self):
        return f"{'failed: ' if self.failed else ''}{self.text}"


class Lane:
    """One conversation: its script, the (Tool, Result) pairs of it in calls, its requests."""

    def __init__(self, script):
        self.calls, self.requests = [], []
        self._script, self._running, self._asked = script, None, None

    def step(self, body: dict):
        self.requests.append(body)
        try:
            step = self._next(body)
        except StopIteration:
            step = Say("done")
        self._asked = step
        return step

    def _next(self, body: dict):
        if self._running is None:
            self._running = self._script(body)
            return next(self._running)
        last = body["messages"][-1]["content"]
        result = Result(next(block for block in last if block["type"] == "tool_result"))
        self.calls.append((self._asked, result))
        return self._running.send(result)


class Model(http.server.ThreadingHTTPServer):
    """requests: every body of POST /v1/messages. calls: (Tool, Result) of the conversation. fault: what stopped the script.

    agents: text of a system prompt -> the script of the sub-agent that has it; lanes: the same text -> its Lane.
    """

    daemon_threads = True

    def __init__(self, script, agents: dict | None = None):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests, self.fault, self._lock, self._count = [], None, threading.Lock(), 0
        self._main = Lane(script)
        self.lanes = {text: Lane(own) for text, own in (agents or {}).items()}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def calls(self) -> list:
        return self._main.calls

    def answer(self, body: dict) -> list[dict]:
        with self._lock:
            self.requests.append(body)
            # The conversation's own requests are those that offer the shell.
            if "Bash" not in {tool.get("name") for tool in body.get("tools", ())}:
                return [{"type": "text", "text": "ok"}]
            system = json.dumps(body.get("system", ""), ensure_ascii=False)
            lane = next((lane for text, lane in self.lanes.items() if text in system), self._main)
            try:
                step = lane.step(body)
            except Exception as exc:
                self.fault = exc
                step = Say("the script failed")
            if isinstance(step, Say):
                return [{"type": "text", "text": step.text}]
            self._count += 1
            blocks = [{"type": "text", "text": step.say}] if step.say else []
            return [*blocks, {"type": "tool_use", "id": f"toolu_{self._count:04}", "name": step.name, "input": step.arguments}]

    def end(self):
        self.shutdown()
        self.server_close()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        path = self.path.split("?")[0]
        if path.endswith("/count_tokens"):
            return self._send(200, "application/json", b'{"input_tokens":1}')
        if path != "/v1/messages":
            return self._send(404, "application/json", b'{"type":"error","error":{"type":"not_found_error","message":"no"}}')
        blocks = self.server.answer(body)
        message = {
            "id": f"msg_{len(self.server.requests)}", "type": "message", "role": "assistant", "model": body.get("model", "m"),
            "content": blocks, "stop_reason": "tool_use" if blocks[-1]["type"] == "tool_use" else "end_turn",
            "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        if not body.get("stream"):
            return self._send(200, "application/json", json.dumps(message).encode())
        self._send(200, "text/event-stream", "".join(_events(message)).encode())

    def do_GET(self):
        self._send(404, "application/json", b"{}")

    do_HEAD = do_GET

    def _send(self, status: int, kind: str, body: bytes):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


def _events(message: dict):
    """The message as server-sent events, each block whole in one delta."""

    def event(kind: str, **data) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n"

    yield event("message_start", message=message | {"content": [], "stop_reason": None})
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = block | {"input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield event("content_block_start", index=index, content_block=start)
        yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    yield event("message_delta", delta={"stop_reason": message["stop_reason"], "stop_sequence": None}, usage={"output_tokens": 1})
    yield event("message_stop")
