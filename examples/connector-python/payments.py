"""Money that leaves: payouts, conversions and refunds. A command is executed in the transaction that accepts it, settles
after the bank's delay, and may come back later."""

from __future__ import annotations

import json
import re
import secrets
from typing import Any, Union

from commands import BadRequest, Bank, Body, Command, Decision, Request, find, found, look_up, now_ms, once, update
from events import record
from ledger import balance_of, book
from money import amount_of, fee_of, minor_of


def _rejected(reason: str, refundable: bool = True) -> Decision:
    return Decision("rejected", {"reason": reason, "refundable": refundable})


def offer_for(bank: Bank, operation: str, wanted: dict[str, str | None]) -> Body | None:
    """The first offer of an operation that takes these members. A member that the command leaves open is taken."""
    for offer in bank.config.offers:
        if offer["operation"] == operation and all(
            offer.get(name) is None or (wanted.get(name) or offer[name]) == offer[name]
            for name in ("currency", "destination_currency", "country_code", "network")
        ):
            return offer
    return None


def _is_within(minor: int, currency: str, offer: Body) -> bool:
    least = minor_of(offer.get("minimum"), currency) or 0
    most = minor_of(offer.get("maximum"), currency) or minor
    return least <= minor <= most


def _is_open(bank: Bank) -> bool:
    """Whether submissions are taken now. Those that are not are not executed, and may be submitted again."""
    row = bank.db.get("select value from settings where name = 'availability'")
    return row is None or row["value"] != "closed"


def is_account(account_number: Any) -> bool:
    """A bank asks its accounts here. This one has no account whose number is zeros."""
    return re.fullmatch(r"0*", str(account_number or "")) is None


def _is_reviewed(order: Body) -> bool:
    """Payments to an account number that ends in 0010 wait for a person of the bank, ten times as long as others."""
    return str((order.get("destination") or {}).get("account_number") or "").endswith("0010")


def _awaited_person(order: Body) -> Body:
    """A bank says here who must act before a payment goes on."""
    return {"awaited_person": {"party": "provider", "action": "review the payout"}} if _is_reviewed(order) else {}


def _accept(
    bank: Bank, operation: str, id: str, minor: int, currency: str, order: Body, cost: dict[str, str] | None = None
) -> Union[Decision, str]:
    """Checks that the balance holds the amount and its fee, executes, and leaves the outcome to conclude."""
    fee = fee_of(minor, currency, cost)
    if not _is_open(bank) or balance_of(bank, currency) < minor + fee:
        return "unavailable"
    reference = f"BK{secrets.token_hex(6).upper()}"
    narration = order.get("narration") or order.get("reference")
    book(bank, operation, -minor, currency, id, order.get("payin_id"), reference, narration)
    result = {"provider_reference": reference, "fee": amount_of(fee, currency) if fee else None}
    return Decision("pending", result, now_ms() + bank.config.delay_ms * (10 if _is_reviewed(order) else 1))


def payout(bank: Bank, request: Request) -> Body:
    def decide(order: Body) -> Union[Decision, str]:
        currency, destination = order["currency"], order["destination"]
        country_code, network = destination.get("country_code"), destination.get("network")
        wanted = {"currency": currency, "country_code": country_code, "network": network}
        offer = offer_for(bank, "payout", wanted)
        minor = minor_of(order["amount"], currency)
        if offer is None or destination.get("type") != "fiat":
            return _rejected("not_offered")
        if minor is None:
            return _rejected("amount_invalid")
        if not _is_within(minor, currency, offer):
            return _rejected("amount_out_of_range")
        if destination.get("rail") != "payshap" and not is_account(destination.get("account_number")):
            return _rejected("account_not_found")
        return _accept(bank, "payout", request.id, minor, currency, order, offer.get("cost"))

    return _submission_result(once(bank, "payout", request, decide))


def conversion(bank: Bank, request: Request) -> Body:
    """A bank compares the rate with its own price here, and rejects what it would lose on."""

    def decide(order: Body) -> Union[Decision, str]:
        currency, destination_currency = order["source_currency"], order["destination_currency"]
        wanted = {"currency": currency, "destination_currency": destination_currency}
        offer = offer_for(bank, "conversion", wanted)
        minor = minor_of(order["source_amount"], currency)
        if offer is None:
            return _rejected("not_offered")
        if minor is None or minor_of(order["destination_amount"], destination_currency) is None:
            return _rejected("amount_invalid")
        if not _is_within(minor, currency, offer):
            return _rejected("amount_out_of_range")
        return _accept(bank, "conversion", request.id, minor, currency, order, offer.get("cost"))

    return _submission_result(once(bank, "conversion", request, decide))


def refund(bank: Bank, request: Request) -> Body:
    """Law: the refunds of a pay-in never exceed it, whatever their ids."""

    def decide(order: Body) -> Union[Decision, str]:
        currency, payin_id = order["currency"], order["payin_id"]
        payin = bank.db.get("select * from payins where payin_id = ? and stage = 'confirmed'", payin_id)
        minor = minor_of(order["amount"], currency)
        if payin is None or payin["currency"] != currency:
            return _rejected("payin_not_found", False)
        if minor is None:
            return _rejected("amount_invalid", False)
        if payin["refunded"] + minor > payin["minor"]:
            return _rejected("amount_above_payin", False)
        decision = _accept(bank, "refund", request.id, minor, currency, order)
        if decision != "unavailable":
            bank.db.run("update payins set refunded = refunded + ? where payin_id = ?", minor, payin_id)
        return decision

    return _submission_result(once(bank, "refund", request, decide))


def _submission_result(command: Union[Command, str]) -> Body:
    if isinstance(command, str):
        return {"status": command}
    if command.status == "rejected":
        return {"status": "rejected", **command.result}
    if command.status == "settled":
        return {"status": "settled", "outcome": command.result}
    return {"status": "accepted", **_awaited_person(command.content)}


def status(bank: Bank, operation: str, request: Request) -> Body:
    """GET of a command by its id. A rejected one has ended without an execution."""
    command = look_up(bank, operation, request)
    if command is None:
        return {"status": "absent"}
    if command.status == "pending":
        return {"status": "pending", **_awaited_person(command.content)}
    rejected = {"outcome": "failed", "reason": command.result.get("reason"), "transaction_hash": None}
    return {"status": "settled", "outcome": command.result if command.status == "settled" else rejected}


_ENDINGS = {
    "payout": ["success", "failed", "cancelled", "returned", "reversed"],
    "conversion": ["success", "failed"],
    "refund": ["success", "failed"],
}

# Endings that may follow a success: the money comes back days later.
_LATER = {"payout": ["returned", "reversed"], "conversion": [], "refund": ["failed"]}


def conclude(
    bank: Bank, operation: str, id: str, outcome: Any, amount: str | None = None, reason: str | None = None
) -> None:
    """Ends a payment: what was not paid is booked back, and Corridor is told, in one transaction.

    amount: of a success, what was paid; of a return, what came back. None: all of it. Raises BadRequest for an unknown id,
    and for an ending that cannot follow what is.
    """
    with bank.db.transaction():
        command = find(bank.db, operation, id)
        if command is None:
            raise BadRequest(f"id: no {operation} has the id {id}")
        content, result = command.content, command.result
        is_first = command.status == "pending"
        taken = _ENDINGS[operation] if is_first else _LATER[operation] if result.get("outcome") == "success" else []
        if outcome not in taken:
            present = result.get("outcome", command.status)
            raise BadRequest(
                f"outcome: found {json.dumps(outcome)}; the {operation} is {present}, "
                f"and {', '.join(taken) or 'none'} is taken"
            )
        prefix = "source_" if operation == "conversion" else ""
        currency: str = content[f"{prefix}currency"]
        out = minor_of(content[f"{prefix}amount"] if is_first else result["amount"], currency) or 0
        stated = out if amount is None else minor_of(amount, currency)
        if stated is None or stated > out:
            raise found("amount", amount, f"at most {amount_of(out, currency)}")
        is_success = outcome == "success"
        is_partial = is_success or outcome in ("returned", "reversed")
        back = out - stated if is_success else stated if is_partial else out
        line = {
            "command_id": id,
            "payin_id": content.get("payin_id"),
            "reference": result["provider_reference"],
        }
        if back > 0:
            book(bank, "back", back, currency, **line, narration=reason or outcome)
        if is_success and operation == "conversion":
            bought = content["destination_currency"]
            book(bank, "converted", minor_of(content["destination_amount"], bought) or 0, bought, **line)
        fee: str | None = result["fee"] if is_success and is_first else None
        if fee is not None:
            book(bank, "fee", -(minor_of(fee, currency) or 0), currency, **line)
        if operation == "refund" and not is_success:
            bank.db.run("update payins set refunded = refunded - ? where payin_id = ?", back, content["payin_id"])
        # This bank sends a refund at once. One that sends it in instalments adds a part with each, and reports again.
        part = {"id": f"{result['provider_reference']}/1", "amount": amount_of(stated, currency)}
        parts = {"parts": [part], "complete": stated == out} if operation == "refund" and is_success else {}
        ended = {
            "outcome": outcome,
            "reason": reason,
            "transaction_hash": None,
            "amount": amount_of(stated, currency) if is_partial and operation != "conversion" else None,
            "fee": fee,
            "fee_currency": None if fee is None else currency,
            "provider_reference": result["provider_reference"],
            **parts,
        }
        update(bank.db, command, "settled", ended)
        about = {"merchant_id": content["merchant_id"], "resource_id": content["resource_id"]}
        if operation == "refund":
            reported = {name: value for name, value in ended.items() if name != "transaction_hash"}
            record(bank, "refund", {**about, "command_id": id, **reported})
        else:
            record(bank, "movement", {**about, **ended})


def settle(bank: Bank, command: Command) -> None:
    """A payment whose time has come succeeds, unless it has ended meanwhile."""
    known = find(bank.db, command.operation, command.id)
    if known is not None and known.status == "pending":
        conclude(bank, command.operation, command.id, "success")
