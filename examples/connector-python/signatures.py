"""Standard Webhooks signatures: Corridor signs requests, this server signs answers and callbacks, with the same secret."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import time
import uuid
from typing import Mapping

TOLERANCE_SECONDS = 300


def _mac(secret: str, message_id: str, timestamp: str, body: bytes) -> bytes:
    key = base64.b64decode(secret[len("whsec_") :] + "==")
    return hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()


def signed(secrets: list[str], body: bytes, message_id: str | None = None) -> dict[str, str]:
    """The three headers that sign the body. message_id: the message's own; the same for each repetition of a callback."""
    message_id = message_id or f"msg_{uuid.uuid4()}"
    timestamp = str(int(time.time()))
    entries = (base64.b64encode(_mac(secret, message_id, timestamp, body)).decode() for secret in secrets)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{entry}" for entry in entries),
    }


def is_signed(secrets: list[str], headers: Mapping[str, str], body: bytes) -> bool:
    """Whether one of the secrets signed the body within five minutes of now."""
    message_id, timestamp = headers.get("webhook-id"), headers.get("webhook-timestamp")
    signatures = headers.get("webhook-signature")
    if not message_id or not timestamp or not signatures or not re.fullmatch(r"[0-9]{1,12}", timestamp):
        return False
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    entries = []
    for entry in signatures.split(" "):
        if entry.startswith("v1,"):
            try:
                entries.append(base64.b64decode(entry[len("v1,") :], validate=True))
            except binascii.Error:
                pass
    expected = [_mac(secret, message_id, timestamp, body) for secret in secrets]
    return any([hmac.compare_digest(entry, mac) for entry in entries for mac in expected])
