"""What Corridor is told. An event is recorded in the transaction of what it reports, sent until it is acknowledged, and
can be read again at any time."""

from __future__ import annotations

import json
import re
import threading
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable

from commands import Bank, Body, found, now_ms
from signatures import signed

_LONGEST_WAIT_MS = 60_000
_TIMEOUT_SECONDS = 10
_MOST_AT_ONCE = 20
_PAGE = 100


def record(bank: Bank, type: str, members: Body) -> None:
    """Inside the transaction of its caller."""
    body = {"operation": "event", "id": f"evt_{uuid.uuid4()}", "type": type, **members}
    bank.db.run("insert into events (body, next_at) values (?, ?)", json.dumps(body), now_ms())


def after(cursor: str | None) -> int:
    """The place after a cursor: sequence numbers are the cursors, and rows are written one transaction after another."""
    if cursor is None:
        return 0
    if not re.fullmatch(r"[0-9]{1,18}", cursor):
        raise found("after", cursor, "a cursor of an earlier answer")
    return int(cursor)


def listed(bank: Bank, cursor: str | None) -> Body:
    """GET /events?after=: the oldest first."""
    start = after(cursor)
    rows = bank.db.all("select seq, body from events where seq > ? order by seq limit ?", start, _PAGE)
    return {"events": [json.loads(row["body"]) for row in rows], "cursor": str(rows[-1]["seq"] if rows else start)}


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects, urllib.request.ProxyHandler({}))


def _send(bank: Bank, url: str, body: str) -> bool:
    """Whether Corridor acknowledged the event. Anything but 200 is no acknowledgement."""
    data = body.encode()
    headers = {"content-type": "application/json", **signed(bank.config.secrets, data, json.loads(body)["id"])}
    request = urllib.request.Request(url, data=data, headers=headers, method="POST")
    try:
        with _opener.open(request, timeout=_TIMEOUT_SECONDS) as response:
            return bool(response.status == 200)
    except Exception:  # Refused, cut off, too late, or an answer that is none.
        return False


def deliverer(bank: Bank) -> Callable[[], None]:
    """Sends the callbacks that are due, each time it is called.

    The next attempt is recorded before one begins, so that a kill loses none, and one that hangs holds up no other.
    """
    url = bank.config.events_url
    senders = ThreadPoolExecutor(_MOST_AT_ONCE)
    free = threading.Semaphore(_MOST_AT_ONCE)

    def attempt(to: str, seq: int, body: str) -> None:
        try:
            if _send(bank, to, body):
                bank.db.run("update events set next_at = null where seq = ?", seq)
        finally:
            free.release()

    def deliver() -> None:
        while url is not None and free.acquire(blocking=False):
            now = now_ms()
            row = bank.db.get(
                "select seq, body, tries from events where next_at <= ? order by next_at, seq limit 1", now
            )
            if row is None:
                free.release()
                return
            wait_ms = min(bank.config.retry_ms * 2 ** min(row["tries"], 16), _LONGEST_WAIT_MS)
            bank.db.run("update events set tries = tries + 1, next_at = ? where seq = ?", now + wait_ms, row["seq"])
            senders.submit(attempt, url, row["seq"], row["body"])

    return deliver
