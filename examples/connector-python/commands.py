"""What Corridor asks for, by its ids. The laws of the protocol that keep money safe are kept here:

- One id is executed once. Its row and what it does to the ledger are one transaction.
- The same id with the same content gets the present result. With other content it is a conflict, and nothing happens.
- What is not in the table was not executed, and will not be unless it is submitted again: a request that was delayed, and
  was signed before absent or unavailable was said, is refused.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Callable, NamedTuple, Union

from config import Config
from database import Database
from money import is_decimal
from signatures import TOLERANCE_SECONDS

Body = dict[str, Any]


@dataclass(frozen=True)
class Bank:
    db: Database
    config: Config


class BadRequest(Exception):
    """A request that is no request of the protocol: answered with 400, which Corridor takes as unknown."""


@dataclass(frozen=True)
class Request:
    """A request whose signature holds. id: of the path, or of the body where the path has none; empty for neither."""

    id: str
    body: Body
    signed_at: int  # Its webhook-timestamp: epoch seconds.
    query: dict[str, str]
    base_url: str  # Where the caller found this server.


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def instant_of(epoch_ms: int) -> str:
    text = datetime.fromtimestamp(epoch_ms // 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{text}.{epoch_ms % 1000:03}Z"


def found(name: str, value: Any, taken: str) -> BadRequest:
    return BadRequest(f"{name}: found {json.dumps(value, ensure_ascii=False)}; {taken} is taken")


class Kind(NamedTuple):
    what: str
    is_valid: Callable[[Any], bool]


def is_text(value: Any, most: int) -> bool:
    """No NUL and no unpaired surrogate: a database could not keep them."""
    return isinstance(value, str) and re.fullmatch(r"[^\0\ud800-\udfff]+", value) is not None and len(value) <= most


def is_instant(value: Any) -> bool:
    pattern = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)"
    return isinstance(value, str) and re.fullmatch(pattern, value, re.ASCII) is not None


TEXT = Kind("a text of 1 to 2,048 characters", lambda value: is_text(value, 2048))
AMOUNT = Kind('a decimal string such as "12.50"', is_decimal)
OBJECT = Kind("an object", lambda value: isinstance(value, dict))
INSTANT = Kind("an instant such as 2026-01-31T12:00:00Z", is_instant)


def _optional(kind: Kind) -> Kind:
    return Kind(kind.what, lambda value: value is None or kind.is_valid(value))


_ABOUT = {"merchant_id": TEXT, "resource_id": TEXT}
_SUBMISSION = {**_ABOUT, "reference": TEXT, "originator": _optional(OBJECT), "kind": TEXT}

# The content of each command. Other members, such as attempt or those of a later version, do not count.
_CONTENTS: dict[str, dict[str, Kind]] = {
    "payout": {
        **_SUBMISSION,
        "amount": AMOUNT,
        "currency": TEXT,
        "source_amount": AMOUNT,
        "source_currency": TEXT,
        "destination": OBJECT,
        "beneficiary": OBJECT,
        "purpose_code": _optional(TEXT),
        "narration": _optional(TEXT),
    },
    "conversion": {
        **_SUBMISSION,
        "source_amount": AMOUNT,
        "source_currency": TEXT,
        "destination_amount": AMOUNT,
        "destination_currency": TEXT,
        "rate": AMOUNT,
    },
    "refund": {**_ABOUT, "payin_id": TEXT, "amount": AMOUNT, "currency": TEXT},
    "issue": {
        **_ABOUT,
        "kind": TEXT,
        "type": TEXT,
        "currency": TEXT,
        "country_code": _optional(TEXT),
        "network": TEXT,
        "holder": TEXT,
    },
    "instruction": {
        **_ABOUT,
        "amount": AMOUNT,
        "currency": TEXT,
        "country_code": _optional(TEXT),
        "expires_at": INSTANT,
    },
    "verification": {**_ABOUT, "tier": TEXT, "customer": OBJECT, "redirect_url": _optional(TEXT)},
    "screen": {**_ABOUT, "name": TEXT, "destination": OBJECT},
    "resolve_account": {
        "country_code": TEXT,
        "bank": OBJECT,
        "account_number": TEXT,
        "account_name": _optional(TEXT),
    },
    "resolve_proxy": {"proxy": TEXT},
}


def content_of(operation: str, body: Body) -> Body:
    """The members of a body that count. Raises BadRequest that names the member, what was found, and what is taken."""
    for name, kind in _CONTENTS[operation].items():
        if not kind.is_valid(body.get(name)):
            raise found(name, body.get(name), kind.what)
    return {name: body.get(name) for name in _CONTENTS[operation]}


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(member) for name, member in value.items() if member is not None}
    return [_without_nulls(one) for one in value] if isinstance(value, list) else value


def _fingerprint_of(content: Body) -> str:
    """Members in one order, and none that is null: the same content has the same text, however it was written."""
    return hashlib.sha256(json.dumps(_without_nulls(content), sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Command:
    """A command as it stands. The result belongs to the status."""

    operation: str
    id: str
    content: Body
    status: str
    result: Body
    fingerprint: str


@dataclass(frozen=True)
class Decision:
    """What is decided about a new id, and recorded. A bare word instead means that nothing is: the id stays free."""

    status: str
    result: Body = field(default_factory=dict)
    due_at: int | None = None


def _command_of(row: Any) -> Command:
    return Command(
        row["operation"],
        row["id"],
        json.loads(row["body"]),
        row["status"],
        json.loads(row["result"]),
        row["fingerprint"],
    )


def find(db: Database, operation: str, id: str) -> Command | None:
    row = db.get("select * from commands where operation = ? and id = ?", operation, id)
    return None if row is None else _command_of(row)


def _note_absence(db: Database, operation: str, request: Request) -> None:
    """Notes that an id is said to be absent, for as long as earlier requests may come. Inside the caller's transaction."""
    db.run("delete from absences where signed_at < ?", now_ms() // 1000 - 2 * TOLERANCE_SECONDS)
    db.run(
        """insert into absences (operation, id, signed_at) values (?, ?, ?)
           on conflict (operation, id) do update set signed_at = max(signed_at, excluded.signed_at)""",
        operation,
        request.id,
        request.signed_at,
    )


def look_up(bank: Bank, operation: str, request: Request) -> Command | None:
    """A command that Corridor looks up. None: it is absent, and this is noted."""
    with bank.db.transaction():
        command = find(bank.db, operation, request.id)
        if command is None:
            _note_absence(bank.db, operation, request)
        return command


def once(
    bank: Bank, operation: str, request: Request, decide: Callable[[Body], Union[Decision, str]]
) -> Union[Command, str]:
    """Answers a known id from its row, and decides about a new one, in the transaction that records the decision.

    decide writes to the ledger what it executes. Returns the command, or the word for what is not recorded: conflict,
    unavailable or unsupported. Raises BadRequest for a request that comes too late.
    """
    id = request.id
    content = content_of(operation, request.body)
    fingerprint = _fingerprint_of(content)
    with bank.db.transaction():
        known = find(bank.db, operation, id)
        if known is not None:
            return known if known.fingerprint == fingerprint else "conflict"
        absence = bank.db.get("select signed_at from absences where operation = ? and id = ?", operation, id)
        if absence is not None and absence["signed_at"] > request.signed_at:
            raise BadRequest(
                f"webhook-timestamp: found {request.signed_at}; the id was answered absent or unavailable at "
                f"{absence['signed_at']}, and only a later request is taken"
            )
        decision = decide(content)
        if decision == "unavailable":
            _note_absence(bank.db, operation, request)
        if isinstance(decision, str):
            return decision
        bank.db.run(
            "insert into commands (operation, id, fingerprint, body, status, result, due_at) values (?, ?, ?, ?, ?, ?, ?)",
            operation,
            id,
            fingerprint,
            json.dumps(content),
            decision.status,
            json.dumps(decision.result),
            decision.due_at,
        )
        return Command(operation, id, content, decision.status, decision.result, fingerprint)


def update(db: Database, command: Command, status: str, result: Body) -> None:
    """Moves a command to another status, inside the transaction of its caller."""
    db.run(
        "update commands set status = ?, result = ? where operation = ? and id = ?",
        status,
        json.dumps(result),
        command.operation,
        command.id,
    )


def due(db: Database, now: int) -> list[Command]:
    """Pending commands whose time has come, the oldest first."""
    rows = db.all("select * from commands where status = 'pending' and due_at <= ? order by due_at limit 100", now)
    return [_command_of(row) for row in rows]
