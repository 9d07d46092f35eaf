"""The operations of the protocol: where each is, and what answers it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, NamedTuple

from accounts import instruction, instruction_status, issue, issue_status
from commands import Bank, Body
from directory import banks, rates, resolve_account, resolve_proxy
from events import listed
from ledger import balances, statement
from parties import screen, verification, verification_status
from payments import conversion, payout, refund, status


@dataclass(frozen=True)
class Asked:
    """A request whose signature holds. id: of the path, or of the body where the path has none; empty for neither."""

    id: str
    query: dict[str, str]
    body: Body
    base_url: str


class Route(NamedTuple):
    operation: str
    needs: str | None  # The offer in the manifest without which the operation is unsupported.
    answer: Callable[[Bank, Asked], Body]


def _manifest(bank: Bank) -> Body:
    events = {"callbacks": bank.config.events_url is not None, "readable": True}
    return {"protocol": "1", "offers": bank.config.offers, "events": events}


def _verification(bank: Bank, asked: Asked) -> Body:
    return verification(bank, asked.id, asked.body, bank.config.public_url or asked.base_url)


# By method, the first part of the path, and whether a second part is an id.
ROUTES: dict[tuple[str, str, bool], Route] = {
    ("PUT", "payouts", True): Route("payout", "payout", lambda bank, asked: payout(bank, asked.id, asked.body)),
    ("GET", "payouts", True): Route("payout_status", "payout", lambda bank, asked: status(bank, "payout", asked.id)),
    ("PUT", "conversions", True): Route(
        "conversion", "conversion", lambda bank, asked: conversion(bank, asked.id, asked.body)
    ),
    ("GET", "conversions", True): Route(
        "conversion_status", "conversion", lambda bank, asked: status(bank, "conversion", asked.id)
    ),
    ("PUT", "refunds", True): Route("refund", "payin", lambda bank, asked: refund(bank, asked.id, asked.body)),
    ("GET", "refunds", True): Route("refund_status", "payin", lambda bank, asked: status(bank, "refund", asked.id)),
    ("PUT", "issues", True): Route("issue", "issue", lambda bank, asked: issue(bank, asked.id, asked.body)),
    ("GET", "issues", True): Route("issue_status", "issue", lambda bank, asked: issue_status(bank, asked.id)),
    ("PUT", "instructions", True): Route(
        "instruction", "payin", lambda bank, asked: instruction(bank, asked.id, asked.body)
    ),
    ("GET", "instructions", True): Route(
        "instruction_status", "payin", lambda bank, asked: instruction_status(bank, asked.id)
    ),
    ("PUT", "verifications", True): Route("verification", "verification", _verification),
    ("GET", "verifications", True): Route(
        "verification_status", "verification", lambda bank, asked: verification_status(bank, asked.id)
    ),
    ("POST", "screen", False): Route("screen", "screening", lambda bank, asked: screen(bank, asked.id, asked.body)),
    ("POST", "resolve-account", False): Route(
        "resolve_account", "directory", lambda _, asked: resolve_account(asked.body)
    ),
    ("POST", "resolve-proxy", False): Route(
        "resolve_proxy", "directory", lambda bank, asked: resolve_proxy(bank, asked.body)
    ),
    ("GET", "banks", False): Route("banks", "directory", lambda _, asked: banks(asked.query.get("country_code"))),
    ("GET", "rates", False): Route("rates", "rates", lambda bank, _: rates(bank)),
    ("GET", "balances", False): Route("balances", "statements", lambda bank, _: balances(bank)),
    ("GET", "statements", False): Route(
        "statements", "statements", lambda bank, asked: statement(bank, asked.query.get("after"))
    ),
    ("GET", "events", False): Route("events", None, lambda bank, asked: listed(bank, asked.query.get("after"))),
    ("GET", "manifest", False): Route("manifest", None, lambda bank, _: _manifest(bank)),
}


def answer(bank: Bank, route: Route, asked: Asked) -> Body:
    is_offered = route.needs is None or any(offer["operation"] == route.needs for offer in bank.config.offers)
    return route.answer(bank, asked) if is_offered else {"status": "unsupported"}
