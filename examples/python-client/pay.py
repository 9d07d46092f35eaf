"""Pays out with the generated client: repeats what was lost, reads all pages, and verifies webhooks.

CORRIDOR_URL and CORRIDOR_API_KEY name the service. `generate.ts` has made `corridor_client`, which must be on PYTHONPATH.
"""

import base64
import hashlib
import hmac
import json
import os
import random
import time
import uuid

import corridor_client
import urllib3

ATTEMPTS = 8


class UnknownOutcome(Exception):
    """The call may have had an effect: repeat it with the same key."""


def code_of(error):
    """The code of a refusal, or None if something else than the service has answered."""
    try:
        return json.loads(error.body)["code"]
    except (TypeError, ValueError, KeyError):
        return None


def is_passing(error):
    """Whether a repeat can have another result."""
    if not isinstance(error, corridor_client.ApiException):
        return True
    code = code_of(error)
    return error.status >= 500 or error.status in (0, 408, 429) or code in (None, "idempotency_in_progress")


def create(method, *args):
    """Calls a method that creates. All attempts have one key, so the call has one effect."""
    key = str(uuid.uuid4())
    for attempt in range(ATTEMPTS):
        try:
            return method(*args, idempotency_key=key, _request_timeout=10).data
        # A response that was cut is not valid: `ValueError`.
        except (corridor_client.ApiException, urllib3.exceptions.HTTPError, ValueError) as error:
            if not is_passing(error):
                raise
        time.sleep(random.uniform(0, 0.05 * 2**attempt))
    raise UnknownOutcome(key)


def read(method, *args, **query):
    """Calls a method that reads, and repeats it: a read has no effect."""
    for attempt in range(ATTEMPTS):
        try:
            return method(*args, **query)
        except (corridor_client.ApiException, urllib3.exceptions.HTTPError, ValueError) as error:
            if not is_passing(error):
                raise
        time.sleep(random.uniform(0, 0.05 * 2**attempt))
    raise UnknownOutcome("read")


def pages(method, **query):
    """All items of a list, page by page."""
    page = 1
    while True:
        answer = read(method, page=page, per_page=4, **query)
        yield from answer.data
        if not answer.meta.has_more:
            return
        page += 1


def verify(body, headers, secret, now):
    """Whether the service has sent a delivery. `body` are its bytes."""
    if abs(now - int(headers["webhook-timestamp"])) > 300:
        return False
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    mac = hmac.new(base64.b64decode(secret.removeprefix("whsec_")), signed, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(mac).decode()
    return any(hmac.compare_digest(expected, entry) for entry in headers["webhook-signature"].split(" "))


def main():
    configuration = corridor_client.Configuration(host=os.environ["CORRIDOR_URL"])
    configuration.access_token = os.environ["CORRIDOR_API_KEY"]
    configuration.retries = False
    with corridor_client.ApiClient(configuration) as client:
        wallets = corridor_client.WalletsApi(client)
        transfers = corridor_client.TransfersApi(client)
        wallet = create(wallets.create_wallet, {"currency": "USDC", "label": "treasury"})
        # The sandbox takes no key: it is asked once.
        deposit = {"wallet_id": wallet.id, "amount": "100.00"}
        corridor_client.SandboxApi(client).sandbox_deposit(deposit)
        payee = create(
            corridor_client.BeneficiariesApi(client).create_beneficiary,
            {
                "type": "crypto",
                "name": "Treasury",
                "currency": "USDC",
                "details": {"network": "solana", "address": "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"},
            },
        )
        payment = {"wallet_id": wallet.id, "beneficiary_id": payee.id, "amount": "1.00"}
        made = [create(transfers.create_transfer, payment).id for _ in range(10)]
        found = [one.id for one in pages(transfers.list_transfers, wallet_id=wallet.id)]
        print("paid", len(made), "found", len(found), sorted(made) == sorted(found))
        print("balance", read(wallets.get_wallet, wallet.id).data.balance.available)
        try:
            create(transfers.create_transfer, {**payment, "amount": "1000.00"})
        except corridor_client.ApiException as error:
            print("refused", error.status, code_of(error))


if __name__ == "__main__":
    main()
