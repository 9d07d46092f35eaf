"""HTTP: verifies each request, finds its operation, and signs the answer."""

from __future__ import annotations

import json
import socket
import sys
import time
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from admin import administer
from commands import BadRequest, Bank, Body, Request, found, is_text
from operations import ROUTES, answer
from page import verification_page
from signatures import is_signed, signed

_MOST_BYTES = 1_000_000

# The time in which a submission that arrived together with its lookup is read. Timestamps are whole seconds, so that of a
# submission in the same second does not show that it was sent first.
_ARRIVAL_SECONDS = 0.05

# Status, headers and body. Those without a result are unsigned: Corridor takes them as unknown.
Answer = tuple[int, dict[str, str], bytes]


def _json(status: int, body: Body, headers: dict[str, str] | None = None) -> Answer:
    data = json.dumps(body).encode()
    return status, {"content-type": "application/json", **(headers or {})}, data


def _not_a_number(text: str) -> Any:
    raise ValueError(text)


def _object_in(data: bytes) -> Body:
    try:
        value = json.loads(data.decode("utf-8"), parse_constant=_not_a_number)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise BadRequest("the body is no JSON object")
    return value


def _id_in(text: str) -> str:
    try:
        id = unquote(text, errors="strict")
    except ValueError:
        id = ""
    # A percent sign that stands for nothing is left as it is by unquote.
    if not is_text(id, 200) or any(not _is_hex(part[:2]) for part in text.split("%")[1:]):
        raise found("id", text, "a text of 1 to 200 characters, percent-encoded,")
    return id


def _is_hex(text: str) -> bool:
    return len(text) == 2 and all(character in "0123456789abcdefABCDEF" for character in text)


def _check(operation: str, id: str | None, body: Body) -> None:
    """Checks that a signed body is for this path: the signature covers neither method nor path."""
    if body.get("operation") != operation:
        raise BadRequest(f"operation: found {json.dumps(body.get('operation'))}; the path takes {operation}")
    if not is_text(body.get("id"), 200) or id not in (None, body["id"]):
        taken = "a text of 1 to 200 characters is taken" if id is None else f"the path takes {id}"
        raise BadRequest(f"id: found {json.dumps(body.get('id'))}; {taken}")


def answer_to(bank: Bank, request: BaseHTTPRequestHandler, data: bytes) -> Answer:
    method, url = request.command, urlsplit(request.path)
    parts = url.path.split("/")[1:]
    query = dict(parse_qsl(url.query, keep_blank_values=True))
    if parts[0] == "admin":
        token = request.headers.get("authorization") or ""
        id = _id_in(parts[2]) if len(parts) > 2 else ""
        what = parts[1] if len(parts) > 1 else ""
        status, body = administer(bank, method, request.client_address[0], token, what, id, lambda: _object_in(data))
        return _json(status, body)
    if parts[0] == "verify" and len(parts) == 2:
        form = data.decode("utf-8", "replace") if method == "POST" else None
        status, html, location = verification_page(bank, _id_in(parts[1]), query.get("token"), form)
        headers = {"content-type": "text/html; charset=utf-8", **({} if location is None else {"location": location})}
        return status, headers, html.encode()
    if not is_signed(bank.config.secrets, {name.lower(): value for name, value in request.headers.items()}, data):
        return _json(401, {"error": "the signature does not hold"})
    route = ROUTES.get((method, parts[0], len(parts) == 2)) if len(parts) <= 2 else None
    if route is None:
        return _json(404, {"error": f"{method} {url.path}: no such operation"})
    path_id = _id_in(parts[1]) if len(parts) == 2 else None
    body = {} if method == "GET" else _object_in(data)
    if method != "GET":
        _check(route.operation, path_id, body)
    id_given = path_id if path_id is not None else body.get("id")
    signed_at = int(request.headers["webhook-timestamp"])
    asked = Request(id_given or "", body, signed_at, query, f"http://{request.headers.get('host')}")
    result = answer(bank, route, asked)
    if result.get("status") == "absent":
        time.sleep(_ARRIVAL_SECONDS)
        result = answer(bank, route, asked)
    bound = {"request_id": request.headers["webhook-id"], "operation": route.operation, "id": id_given}
    text = json.dumps({**bound, "result": result}).encode()
    return 200, {"content-type": "application/json", **signed(bank.config.secrets, text)}, text


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # The caller went away: what it asked for is recorded, or it is not.


def server_of(bank: Bank) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1  # Headers and body leave together.
        timeout = 60

        def respond(self) -> None:
            length = self.headers.get("content-length") or "0"
            if not length.isdecimal() or int(length) > _MOST_BYTES or "transfer-encoding" in self.headers:
                self.close_connection = True
                self.send(_json(400, {"error": f"a content-length of at most {_MOST_BYTES} bytes is taken"}))
                return
            data = self.rfile.read(int(length))
            if len(data) < int(length):
                self.close_connection = True  # Cut off in the middle: nobody waits for an answer.
                return
            try:
                self.send(answer_to(bank, self, data))
            except BadRequest as error:
                self.send(_json(400, {"error": str(error)}))
            except OSError:
                self.close_connection = True
            except Exception:
                traceback.print_exc(file=sys.stderr)
                self.send(_json(500, {"error": "internal error"}))

        do_GET = do_PUT = do_POST = do_DELETE = do_PATCH = respond

        def send(self, made: Answer) -> None:
            status, headers, data = made
            self.send_response(status)
            for name, value in {**headers, "content-length": str(len(data))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)
            self.wfile.flush()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    if ":" in bank.config.host:
        _Server.address_family = socket.AF_INET6
    return _Server((bank.config.host, bank.config.port), Handler)
