"""A scripted model that speaks enough of the Chat Completions API to drive opencode and Qwen Code.

The lanes, tools and scripts are those of scripted_model. tools: what the client offers; a request without
any (titles, checks) is answered with a word.
"""

import http.server
import json
import threading

from scripted_model import Lane, Say


class Model(http.server.ThreadingHTTPServer):
    """requests: every body. fault: what stopped a script. lanes: as in scripted_model; "" is the conversation's own."""

    daemon_threads = True

    def __init__(self, script, agents: dict | None = None):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests, self.fault, self._lock = [], None, threading.Lock()
        self.lanes = {text: Lane(own) for text, own in (agents or {}).items()} | {"": Lane(script)}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def answer(self, body: dict) -> dict:
        with self._lock:
            self.requests.append(body)
            if not body.get("tools"):
                return {"role": "assistant", "content": "ok"}
            system = json.dumps([m for m in body["messages"] if m["role"] == "system"], ensure_ascii=False)
            lane = next(lane for text, lane in self.lanes.items() if text in system)
            try:
                step = lane.step(_as_messages(body))
            except Exception as exc:
                self.fault = exc
                step = Say("the script failed")
            if isinstance(step, Say):
                return {"role": "assistant", "content": step.text}
            call = {"name": step.name, "arguments": json.dumps(step.arguments)}
            return {"role": "assistant", "content": step.say or None,
                    "tool_calls": [{"index": 0, "id": f"call_{len(self.requests):04}", "type": "function", "function": call}]}

    def end(self):
        self.shutdown()
        self.server_close()


def _as_messages(body: dict) -> dict:
    """The last message in the form that a Lane reads, and the tools by name."""
    tools = [tool["function"] for tool in body["tools"]]
    last = body["messages"][-1]
    blocks = [{"type": "tool_result", "content": last["content"]}] if last["role"] == "tool" else last["content"]
    return {"tools": tools, "messages": [{"role": "user", "content": blocks}], "system": body["messages"][0]["content"]}


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        message = self.server.answer(body)
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        base = {"id": "c1", "created": 1, "model": body.get("model", "m")}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        if not body.get("stream"):
            whole = base | {"object": "chat.completion", "usage": usage, "choices": [{"index": 0, "message": message, "finish_reason": reason}]}
            return self._send("application/json", json.dumps(whole))
        chunk = base | {"object": "chat.completion.chunk"}
        parts = [
            chunk | {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            chunk | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage},
        ]
        self._send("text/event-stream", "".join(f"data: {json.dumps(part)}\n\n" for part in parts) + "data: [DONE]\n\n")

    def do_GET(self):
        self._send("application/json", '{"object":"list","data":[{"id":"m","object":"model"}]}')

    def _send(self, kind: str, text: str):
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass
