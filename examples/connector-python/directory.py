"""What the bank knows of others: banks, holders of accounts, rates. A real bank asks its own systems in each of these."""

from __future__ import annotations

import json

from commands import Bank, Body, Request, content_of, instant_of, now_ms
from config import DEFAULTS
from payments import is_account, offer_for

_BANKS: list[Body] = DEFAULTS["banks"]

# Proxies that end otherwise, for tests of the caller: each ends in what it is.
_PROXIES = {
    "+27000000000": "unregistered",
    "unknown@bank": "unregistered",
    "+27000000001": "no_answer",
    "+27000000002": "unavailable",
}


def banks(_: Bank, request: Request) -> Body:
    """GET /banks?country_code=: of all countries without one."""
    country_code = request.query.get("country_code")
    return {"banks": [bank for bank in _BANKS if country_code in (None, bank["country_code"])]}


def resolve_account(_: Bank, request: Request) -> Body:
    asked = content_of("resolve_account", request.body)
    place = (asked["country_code"], asked["bank"].get("code"))
    is_known = any((bank["country_code"], bank["code"]) == place for bank in _BANKS)
    if not is_known or not is_account(asked["account_number"]):
        return {"status": "unresolved"}
    return {
        "status": "resolved",
        "account_name": asked["account_name"] or f"Holder of {asked['account_number'][-4:]}",
    }


def resolve_proxy(bank: Bank, request: Request) -> Body:
    """PayShap, in South Africa: a mobile number, or a name at a bank."""
    proxy = content_of("resolve_proxy", request.body)["proxy"]
    if offer_for(bank, "directory", {"country_code": "ZA"}) is None:
        return {"status": "switched_off"}
    if proxy in _PROXIES:
        return {"status": _PROXIES[proxy]}
    return {"status": "resolved", "account_name": f"Holder of {proxy[-4:]}"}


def rates(bank: Bank) -> Body:
    """GET /rates: units of each currency for one USD, and when they were quoted. The admin interface can replace them."""
    row = bank.db.get("select value from settings where name = 'rates'")
    replaced = {} if row is None else json.loads(row["value"])
    at = replaced.get("at") or instant_of(now_ms())
    quoted = replaced.get("rates") or bank.config.rates
    return {"rates": [{"base": "USD", "quote": quote, "rate": rate, "at": at} for quote, rate in quoted.items()]}
