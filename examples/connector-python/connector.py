"""A bank behind Corridor's provider protocol, version 1: a server of its own that needs Python 3.9 and nothing else.

    CONNECTOR_SECRET=whsec_… python3 connector.py

The README of this folder lists the settings, and says how to put a real bank behind it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
from typing import Any, Callable

from accounts import open_account
from commands import Bank, due, now_ms
from config import ConfigFault, config_from
from database import Database
from events import deliverer
from ledger import open_ledger
from payments import settle
from server import server_of

_IDLE_SECONDS = 0.02  # Between two looks at the database.


def _finish(bank: Bank) -> None:
    for command in due(bank.db, now_ms()):
        try:
            if command.operation == "issue":
                open_account(bank, command)
            else:
                settle(bank, command)
        except Exception:  # The others do not wait for it.
            traceback.print_exc(file=sys.stderr)


def _repeat(work: Callable[[], None]) -> None:
    """Repeats, whatever becomes of it: what there is to do is in the database, and stays there until it is done."""
    while True:
        try:
            work()
        except Exception:
            traceback.print_exc(file=sys.stderr)
        time.sleep(_IDLE_SECONDS)


def _stop(*_: Any) -> None:
    os._exit(0)  # At once: nothing is kept in memory, and threads that wait for an answer would hold the process up.


def main() -> None:
    try:
        config = config_from(os.environ)
    except ConfigFault as fault:
        sys.exit(str(fault))
    bank = Bank(Database(config.database), config)
    open_ledger(bank)
    server = server_of(bank)
    for work in (lambda: _finish(bank), deliverer(bank)):
        threading.Thread(target=_repeat, args=(work,), daemon=True).start()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, _stop)
    host = f"[{config.host}]" if ":" in config.host else config.host
    print(f"connector listens on http://{host}:{server.server_address[1]}", flush=True)
    server.serve_forever(poll_interval=60)


if __name__ == "__main__":
    main()
