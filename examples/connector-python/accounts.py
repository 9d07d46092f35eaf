"""Money that arrives: accounts for customers, payment instructions for payers, and what is paid to them."""

from __future__ import annotations

import secrets
from typing import Union

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
    is_text,
    look_up,
    now_ms,
    once,
    update,
)
from events import record
from ledger import book
from money import amount_of, minor_of
from payments import offer_for

_NAME = "Example Bank"
_CODE = "EXB"
_STAGES = ("detected", "confirmed", "failed")


def _account_number_for(bank: Bank, operation: str, id: str) -> str:
    """A row of its own for each target: no two have one number. Inside the transaction of its caller."""
    return str(8_000_000_000 + bank.db.run("insert into targets (operation, id) values (?, ?)", operation, id))


def issue(bank: Bank, request: Request) -> Body:
    """Opens an account in the name of the holder. It is ready after the bank's delay."""

    def decide(order: Body) -> Decision:
        wanted = {name: order[name] for name in ("currency", "country_code", "network")}
        if order["type"] != "fiat" or offer_for(bank, "issue", wanted) is None:
            return Decision("rejected", {"reason": "not_offered"})
        account_number = _account_number_for(bank, "issue", request.id)
        result = {
            "provider_resource_id": f"acct_{account_number}",
            "target": account_number,
            "details": {
                "account_number": account_number,
                "account_name": order["holder"],
                "bank_name": _NAME,
                "bank_code": _CODE,
                # The number is the customer's own: it identifies the payment.
                "reference": None,
            },
        }
        return Decision("pending", result, now_ms() + bank.config.delay_ms)

    return _issue_result(once(bank, "issue", request, decide))


def _issue_result(command: Union[Command, str]) -> Body:
    if isinstance(command, str) or command.status == "pending":
        return {"status": command if isinstance(command, str) else "pending"}
    return {"status": "issued" if command.status == "settled" else command.status, **command.result}


def issue_status(bank: Bank, request: Request) -> Body:
    return _issue_result(look_up(bank, "issue", request) or "absent")


def open_account(bank: Bank, command: Command) -> None:
    """An account whose time has come is ready."""
    with bank.db.transaction():
        known = find(bank.db, "issue", command.id)
        if known is None or known.status != "pending":
            return
        about = {name: command.content[name] for name in ("merchant_id", "resource_id", "kind")}
        update(bank.db, command, "settled", command.result)
        record(bank, "issued", {**about, **command.result})


def instruction(bank: Bank, request: Request) -> Body:
    """One collection account for each currency. The reference identifies the payment, and is never given out twice."""

    def decide(order: Body) -> Union[Decision, str]:
        wanted = {name: order[name] for name in ("currency", "country_code")}
        if offer_for(bank, "payin", wanted) is None:
            return "unsupported"
        result = {
            "account_name": "Example Bank Collections",
            "account_number": "1000000001",
            "bank_name": _NAME,
            "bank_code": _CODE,
            "deposit_reference": f"EX{secrets.token_hex(7).upper()}",
        }
        return Decision("issued", result)

    return _instruction_result(once(bank, "instruction", request, decide))


def _instruction_result(command: Union[Command, str]) -> Body:
    return {"status": command} if isinstance(command, str) else {"status": command.status, **command.result}


def instruction_status(bank: Bank, request: Request) -> Body:
    return _instruction_result(look_up(bank, "instruction", request) or "absent")


def receive(bank: Bank, body: Body) -> Body:
    """Records money that arrives, or is about to, and tells Corridor.

    A pay-in moves from detected to confirmed or failed; the same stage again changes nothing. Raises BadRequest for a stage
    or an amount that cannot be.
    """
    narration, sender, stage = body.get("narration"), body.get("sender"), body.get("stage", "confirmed")
    for member in ("target", "amount", "currency"):
        if not is_text(body.get(member), 2000):
            raise found(member, body.get(member), "a text")
    if "payin_id" in body and not is_text(body["payin_id"], 200):
        raise found("payin_id", body["payin_id"], "a text")
    if sender is not None and not isinstance(sender, dict):
        raise found("sender", sender, 'an object such as {"name":"Ada"}')
    currency = body["currency"]
    minor = minor_of(body["amount"], currency)
    if minor is None:
        raise found("amount", body["amount"], f"a positive amount of {currency}")
    if stage not in _STAGES:
        raise found("stage", stage, "one of " + ", ".join(_STAGES))
    id = body.get("payin_id") or f"pay_{secrets.token_hex(10)}"
    with bank.db.transaction():
        known = bank.db.get("select * from payins where payin_id = ?", id)
        if known is not None and (known["minor"], known["currency"]) != (minor, currency):
            is_of = f"{amount_of(known['minor'], known['currency'])} {known['currency']}"
            raise BadRequest(f"amount: pay-in {id} is of {is_of}")
        if known is not None and known["stage"] == stage:
            return {"payin_id": id, "stage": stage}
        if known is not None and known["stage"] != "detected":
            raise BadRequest(f"stage: pay-in {id} is {known['stage']}, which is final")
        bank.db.run(
            """insert into payins (payin_id, minor, currency, stage) values (?, ?, ?, ?)
               on conflict (payin_id) do update set stage = excluded.stage""",
            id,
            minor,
            currency,
            stage,
        )
        if stage == "confirmed":
            book(bank, "payin", minor, currency, payin_id=id, reference=id, narration=narration)
        payer = None
        if sender is not None:
            payer = {name: str(value)[-4:] if name == "account_number" else value for name, value in sender.items()}
        members = {
            "payin_id": id,
            "stage": stage,
            "target": body["target"],
            "amount": amount_of(minor, currency),
            "currency": currency,
            "network": "bank",
            "transaction_hash": None,
            "from_address": None,
            "sender": payer,
            "narration": narration,
            "observed_at": instant_of(now_ms()),
        }
        record(bank, "payin", members)
    return {"payin_id": id, "stage": stage}
