"""The world outside: what a bank's customers, payers and staff do. For tests and demonstrations, from this machine alone,
with a token. It is no part of the protocol."""

from __future__ import annotations

import hmac
import json
from ipaddress import ip_address
from typing import Any, Callable

from accounts import receive
from commands import BadRequest, Bank, Body, found, is_instant
from config import is_amounts
from parties import clear, verify
from payments import conclude

_PAYMENTS = {"payouts": "payout", "conversions": "conversion", "refunds": "refund"}


def _end(bank: Bank, operation: str, id: str, body: Body) -> None:
    for name in ("amount", "reason"):
        if name in body and not isinstance(body[name], str):
            raise found(name, body[name], "a text")
    if "amount" in body and operation != "payout":
        raise BadRequest(f"amount: found {json.dumps(body['amount'])}; a {operation} ends whole")
    conclude(bank, operation, id, body.get("outcome"), body.get("amount"), body.get("reason"))


def _set(bank: Bank, body: Body) -> None:
    """POST /admin/settings: whether submissions are taken, the rates, and the time of the rates (absent: now)."""
    availability, rates, rates_at = body.get("availability"), body.get("rates"), body.get("rates_at")

    def save(name: str, value: str) -> None:
        bank.db.run(
            "insert into settings values (?, ?) on conflict (name) do update set value = excluded.value", name, value
        )

    if availability not in (None, "open", "closed"):
        raise found("availability", availability, "open or closed")
    if rates is not None and not is_amounts(rates):
        raise found("rates", rates, 'an object such as {"NGN":"1500.25"}')
    if rates_at is not None and not is_instant(rates_at):
        raise found("rates_at", rates_at, "an instant such as 2026-01-31T12:00:00Z")
    with bank.db.transaction():
        if availability is not None:
            save("availability", availability)
        if rates is not None or rates_at is not None:
            save("rates", json.dumps({"rates": rates, "at": rates_at}))


def administer(
    bank: Bank, method: str, address: str, authorization: str, what: str, id: str, read: Callable[[], Body]
) -> tuple[int, Any]:
    """Answers 404 for who may not use it, as if it were not there."""
    token = bank.config.admin_token
    is_allowed = (
        token is not None
        and ip_address(address).is_loopback
        and hmac.compare_digest(authorization.encode(), f"Bearer {token}".encode())
    )
    if not is_allowed or method != "POST":
        return 404, {"error": "not found"}
    body = read()
    if what in _PAYMENTS:
        _end(bank, _PAYMENTS[what], id, body)
    elif what == "payins":
        return 200, receive(bank, body)
    elif what == "verifications":
        verify(bank, id, body)
    elif what == "screenings":
        clear(bank, id, body)
    elif what == "settings":
        _set(bank, body)
    else:
        return 404, {"error": "not found"}
    return 200, {}
