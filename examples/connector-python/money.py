"""Amounts: decimal strings outside, whole minor units inside (NGN 12.50 is 1250). Never a float."""

from __future__ import annotations

import re
from typing import Any

_DECIMALS = {"UGX": 0, "XOF": 0, "USDC": 6, "USDT": 6}
_MOST = 10**17  # Larger amounts would not fit SQLite's integers when they are added up.


def is_decimal(text: Any) -> bool:
    """Whether the text has the form of an amount: digits, and perhaps a point and digits."""
    return isinstance(text, str) and re.fullmatch(r"(0|[1-9][0-9]{0,29})(\.[0-9]{1,18})?", text) is not None


def minor_of(text: Any, currency: str) -> int | None:
    """None: the text is no positive amount of this currency; it has too many decimals, for example."""
    if not is_decimal(text):
        return None
    decimals = _DECIMALS.get(currency, 2)
    whole, _, fraction = text.partition(".")
    digits = fraction.rstrip("0")
    if len(digits) > decimals:
        return None
    minor = int(whole + digits.ljust(decimals, "0"))
    return minor if 0 < minor <= _MOST else None


def amount_of(minor: int, currency: str) -> str:
    """At least the decimals of everyday money: 2 of USDC's 6, further ones where they are not zero."""
    decimals = _DECIMALS.get(currency, 2)
    digits = str(abs(minor)).rjust(decimals + 1, "0")
    whole = ("-" if minor < 0 else "") + digits[: len(digits) - decimals]
    fraction = digits[len(digits) - decimals :].rstrip("0")
    return whole if decimals == 0 else f"{whole}.{fraction.ljust(2, '0')}"


def fee_of(minor: int, currency: str, cost: dict[str, str] | None) -> int:
    """What a payment costs: a fixed amount, and a share of the amount ("0.005" is 0.5 %), rounded up."""
    if cost is None:
        return 0
    whole, _, fraction = cost["share"].partition(".")
    return (minor_of(cost["fixed"], currency) or 0) - (-minor * int(whole + fraction) // 10 ** len(fraction))
