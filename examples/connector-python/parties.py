"""Checks of people: screening of beneficiaries, and verification of customers on a page of the bank's own."""

from __future__ import annotations

import json
import re
import secrets
from urllib.parse import quote

from commands import (
    BadRequest,
    Bank,
    Body,
    Command,
    Decision,
    Request,
    find,
    found,
    instant_of,
    look_up,
    now_ms,
    once,
    update,
)
from events import record

_LIFETIME_MS = 24 * 60 * 60 * 1000
_NEXT = {"pending": ["opened", "approved", "rejected"], "opened": ["approved", "rejected"]}


def _screened(name: str) -> str:
    """A bank asks its sanctions lists here. These words let a test choose."""
    if re.search(r"\bsanctioned\b", name, re.IGNORECASE):
        return "refused"
    return "held" if re.search(r"\breview\b", name, re.IGNORECASE) else "cleared"


def screen(bank: Bank, request: Request) -> Body:
    """POST /screen: the id is the screening's. A held one's verdict follows as an event."""
    command = once(bank, "screen", request, lambda order: Decision(_screened(order["name"])))
    if isinstance(command, str):
        raise BadRequest(f"id: the screening {request.id} is known with other content")
    return {"status": command.status}


def clear(bank: Bank, screening_id: str, body: Body) -> None:
    """The verdict on a held screening."""
    cleared = body.get("cleared")
    if not isinstance(cleared, bool):
        raise found("cleared", cleared, "true or false")
    with bank.db.transaction():
        command = find(bank.db, "screen", screening_id)
        if command is None or command.status != "held":
            raise BadRequest(f"id: no held screening has the id {screening_id}")
        about = {name: command.content[name] for name in ("merchant_id", "resource_id")}
        update(bank.db, command, "cleared" if cleared else "refused", {})
        record(bank, "screened", {**about, "screening_id": screening_id, "cleared": cleared})


def verification(bank: Bank, request: Request) -> Body:
    """Starts a verification. Its page is under a token that nobody can guess."""
    token = secrets.token_urlsafe(32)
    result = {
        "token": token,
        "hosted_url": f"{bank.config.public_url or request.base_url}/verify/{quote(request.id, safe='')}?token={token}",
        "expires_at": instant_of(now_ms() + _LIFETIME_MS),
    }
    command = once(bank, "verification", request, lambda _: Decision("pending", result))
    if isinstance(command, str):
        return {"status": command}
    return {"status": "started", **{name: command.result[name] for name in ("hosted_url", "expires_at")}}


def verification_status(bank: Bank, request: Request) -> Body:
    command = look_up(bank, "verification", request)
    if command is None:
        return {"status": "absent"}
    reason = {"reason": command.result.get("reason")} if command.status == "rejected" else {}
    return {"status": command.status, **reason}


def verify(bank: Bank, id: str, body: Body) -> None:
    """Moves a verification, and tells Corridor. Raises BadRequest for an outcome that cannot follow."""
    outcome, reason = body.get("outcome"), body.get("reason")
    with bank.db.transaction():
        command = find(bank.db, "verification", id)
        if command is None:
            raise BadRequest(f"id: no verification has the id {id}")
        taken = _NEXT.get(command.status, [])
        if outcome not in taken:
            raise BadRequest(
                f"outcome: found {json.dumps(outcome)}; the verification is {command.status}, "
                f"and {', '.join(taken) or 'none'} is taken"
            )
        about = {name: command.content[name] for name in ("merchant_id", "resource_id")}
        update(bank.db, command, outcome, {**command.result, "reason": reason})
        record(bank, "verification", {**about, "outcome": outcome, "reason": reason})


def linked(bank: Bank, id: str, token: str | None) -> Command | None:
    """The verification of a link, while the link holds."""
    command = find(bank.db, "verification", id)
    if command is None or token is None or not secrets.compare_digest(command.result["token"], token):
        return None
    return command if command.result["expires_at"] > instant_of(now_ms()) else None
