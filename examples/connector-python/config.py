"""The settings, all from environment variables. The README of this folder lists them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Mapping
from urllib.parse import urlsplit

DEFAULTS = json.loads(Path(__file__).with_name("defaults.json").read_text(encoding="utf-8"))


class ConfigFault(Exception):
    """A fault of the settings, one line for each."""


@dataclass(frozen=True)
class Config:
    host: str
    port: int
    secrets: list[str]  # One or more whsec_…: all sign, each is accepted.
    database: str
    delay_ms: int
    offers: list[dict[str, Any]]
    balances: dict[str, str]  # What the platform has at the bank when the database is created.
    rates: dict[str, str]  # Units of each currency for one USD.
    events_url: str | None  # Where callbacks go. None: no callbacks.
    retry_ms: int  # The wait before a callback is repeated. It doubles each time, up to a minute.
    admin_token: str | None  # None: no admin interface.
    public_url: str | None  # Where customers reach this server. None: where it listens.


def _is_secret(text: str) -> bool:
    if not re.fullmatch(r"whsec_[A-Za-z0-9+/]+={0,2}", text):
        return False
    return 24 <= len(text.rstrip("=")[len("whsec_") :]) * 6 // 8 <= 64


def is_amounts(value: Any) -> bool:
    """Decimal strings by currency."""
    return isinstance(value, dict) and all(
        isinstance(one, str) and re.fullmatch(r"[0-9]+(\.[0-9]+)?", one) for one in value.values()
    )


def _is_offers(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) and "operation" in one for one in value)


def config_from(env: Mapping[str, str]) -> Config:
    """Raises ConfigFault, which names each variable at fault, what was found, and what is taken."""
    faults: list[str] = []

    def given(name: str) -> str | None:
        return env.get(name) or None

    def whole(name: str, otherwise: int, most: int) -> int:
        text = given(name) or str(otherwise)
        if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) > most:
            faults.append(f"{name}: found {json.dumps(text)}; a whole number from 0 to {most} is taken")
            return otherwise
        return int(text)

    def structured(name: str, otherwise: Any, what: str, is_valid: Callable[[Any], bool]) -> Any:
        text = given(name)
        if text is None:
            return otherwise
        try:
            value = json.loads(text)
            if is_valid(value):
                return value
        except ValueError:
            pass  # Not JSON: the same line says so.
        faults.append(f"{name}: found {json.dumps(text)}; {what} is taken")
        return otherwise

    secrets = (given("CONNECTOR_SECRET") or "").split(" ")
    if not all(_is_secret(secret) for secret in secrets):
        faults.append(
            "CONNECTOR_SECRET: whsec_ and 24 to 64 bytes in base64 are taken; two secrets, separated by a space, in a rotation"
        )
    events_url = given("CONNECTOR_EVENTS_URL")
    if events_url is not None and not (urlsplit(events_url).scheme in ("http", "https") and urlsplit(events_url).netloc):
        faults.append(f"CONNECTOR_EVENTS_URL: found {json.dumps(events_url)}; an absolute URL is taken")
    amounts = "a JSON object such as "
    config = Config(
        host=given("HOST") or "127.0.0.1",
        port=whole("PORT", 4100, 65_535),
        secrets=secrets,
        database=given("CONNECTOR_DATABASE") or "connector.sqlite",
        delay_ms=whole("CONNECTOR_DELAY_MS", 2_000, 999_999_999),
        offers=structured(
            "CONNECTOR_OFFERS",
            DEFAULTS["offers"],
            'a JSON array such as [{"operation":"payout","currency":"NGN"}]',
            _is_offers,
        ),
        balances=structured("CONNECTOR_BALANCES", DEFAULTS["balances"], amounts + '{"NGN":"5000.00"}', is_amounts),
        rates=structured("CONNECTOR_RATES", DEFAULTS["rates"], amounts + '{"NGN":"1500.25"}', is_amounts),
        events_url=events_url,
        retry_ms=whole("CONNECTOR_RETRY_MS", 1_000, 60_000),
        admin_token=given("CONNECTOR_ADMIN_TOKEN"),
        public_url=given("CONNECTOR_PUBLIC_URL"),
    )
    if faults:
        raise ConfigFault("\n".join(faults))
    return config
