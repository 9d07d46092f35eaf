"""The platform's account at the bank: balances and statements are views of one ledger."""

from __future__ import annotations

from commands import Bank, Body, instant_of, now_ms
from events import after
from money import amount_of, minor_of

_PAGE = 100


def book(
    bank: Bank,
    entry: str,
    minor: int,
    currency: str,
    command_id: str | None = None,
    payin_id: str | None = None,
    reference: str | None = None,
    narration: str | None = None,
) -> None:
    """Negative: money leaves. Inside the transaction of its caller."""
    bank.db.run(
        """insert into ledger (booked_at, entry, minor, currency, command_id, payin_id, reference, narration)
           values (?, ?, ?, ?, ?, ?, ?, ?)""",
        now_ms(),
        entry,
        minor,
        currency,
        command_id,
        payin_id,
        reference,
        narration,
    )


def open_ledger(bank: Bank) -> None:
    """What the platform brought in, booked when the database is new."""
    with bank.db.transaction():
        if bank.db.get("select 1 from ledger limit 1") is not None:
            return
        for currency, amount in bank.config.balances.items():
            minor = minor_of(amount, currency)
            if minor is not None:
                book(bank, "opening", minor, currency, narration="opening balance")


def balance_of(bank: Bank, currency: str) -> int:
    row = bank.db.get("select minor from balances where currency = ?", currency)
    return 0 if row is None else int(row["minor"])


def balances(bank: Bank) -> Body:
    """GET /balances: what is pending is executed and not settled, so it may come back."""
    with bank.db.transaction():
        rows = bank.db.all("select currency, minor from balances order by currency")
        pending = bank.db.all(
            """select e.currency, sum(e.minor) as minor from commands c
               join executions e on e.command_id = c.id and e.entry = c.operation
               where c.status = 'pending' group by e.currency"""
        )
    waiting = {row["currency"]: row["minor"] for row in pending}
    return {
        "balances": [
            {
                "currency": row["currency"],
                "network": None,
                "available": amount_of(row["minor"], row["currency"]),
                "pending": amount_of(waiting.get(row["currency"], 0), row["currency"]),
            }
            for row in rows
        ]
    }


def statement(bank: Bank, cursor: str | None) -> Body:
    """GET /statements?after=: the oldest first."""
    rows = bank.db.all("select * from ledger where seq > ? order by seq limit ?", after(cursor), _PAGE)
    lines = [
        {
            "id": f"line_{row['seq']}",
            "booked_at": instant_of(row["booked_at"]),
            "direction": "debit" if row["minor"] < 0 else "credit",
            "amount": amount_of(abs(row["minor"]), row["currency"]),
            "currency": row["currency"],
            "command_id": row["command_id"],
            "payin_id": row["payin_id"],
            "provider_reference": row["reference"],
            "transaction_hash": None,
            "narration": row["narration"],
        }
        for row in rows
    ]
    return {"lines": lines, "cursor": str(rows[-1]["seq"]) if rows else cursor}
