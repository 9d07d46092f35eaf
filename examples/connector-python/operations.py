"""The operations of the protocol: where each is, and what answers it."""

from __future__ import annotations

import uuid
from typing import Callable, NamedTuple

from accounts import instruction, instruction_status, issue, issue_status
from commands import Bank, Body, Request
from directory import banks, rates, resolve_account, resolve_proxy
from events import listed
from ledger import balances, statement
from parties import screen, verification, verification_status
from payments import conversion, payout, refund, status


class Route(NamedTuple):
    operation: str
    needs: str | None  # The offer in the manifest without which the operation is unsupported.
    answer: Callable[[Bank, Request], Body]


def _books_id(bank: Bank) -> str:
    """The id of these books: made with the database, and the same for as long as there is one."""
    bank.db.run("insert into settings values ('id', ?) on conflict (name) do nothing", str(uuid.uuid4()))
    return bank.db.get("select value from settings where name = 'id'")["value"]


def _manifest(bank: Bank) -> Body:
    events = {"callbacks": bank.config.events_url is not None, "readable": True}
    return {"protocol": "1", "id": _books_id(bank), "offers": bank.config.offers, "events": events}


# By method, the first part of the path, and whether a second part is an id.
ROUTES: dict[tuple[str, str, bool], Route] = {
    ("PUT", "payouts", True): Route("payout", "payout", payout),
    ("GET", "payouts", True): Route("payout_status", "payout", lambda bank, asked: status(bank, "payout", asked)),
    ("PUT", "conversions", True): Route("conversion", "conversion", conversion),
    ("GET", "conversions", True): Route(
        "conversion_status", "conversion", lambda bank, asked: status(bank, "conversion", asked)
    ),
    ("PUT", "refunds", True): Route("refund", "payin", refund),
    ("GET", "refunds", True): Route("refund_status", "payin", lambda bank, asked: status(bank, "refund", asked)),
    ("PUT", "issues", True): Route("issue", "issue", issue),
    ("GET", "issues", True): Route("issue_status", "issue", issue_status),
    ("PUT", "instructions", True): Route("instruction", "payin", instruction),
    ("GET", "instructions", True): Route("instruction_status", "payin", instruction_status),
    ("PUT", "verifications", True): Route("verification", "verification", verification),
    ("GET", "verifications", True): Route("verification_status", "verification", verification_status),
    ("POST", "screen", False): Route("screen", "screening", screen),
    ("POST", "resolve-account", False): Route("resolve_account", "directory", resolve_account),
    ("POST", "resolve-proxy", False): Route("resolve_proxy", "directory", resolve_proxy),
    ("GET", "banks", False): Route("banks", "directory", banks),
    ("GET", "rates", False): Route("rates", "rates", lambda bank, _: rates(bank)),
    ("GET", "balances", False): Route("balances", "statements", lambda bank, _: balances(bank)),
    ("GET", "statements", False): Route(
        "statements", "statements", lambda bank, asked: statement(bank, asked.query.get("after"))
    ),
    ("GET", "events", False): Route("events", None, lambda bank, asked: listed(bank, asked.query.get("after"))),
    ("GET", "manifest", False): Route("manifest", None, lambda bank, _: _manifest(bank)),
}


def answer(bank: Bank, route: Route, asked: Request) -> Body:
    is_offered = route.needs is None or any(offer["operation"] == route.needs for offer in bank.config.offers)
    return route.answer(bank, asked) if is_offered else {"status": "unsupported"}
