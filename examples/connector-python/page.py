"""The page that a customer opens to be verified. Opening it and finishing it are told to Corridor."""

from __future__ import annotations

import re
from html import escape
from urllib.parse import parse_qs

from commands import BadRequest, Bank
from parties import linked, verify


def _html(title: str, body: str) -> str:
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
    return f"{head}<h1>{title}</h1>{body}</html>"


def verification_page(bank: Bank, id: str, token: str | None, form: str | None) -> tuple[int, str, str | None]:
    """Status, page and redirection. form: what was sent with POST. None: the page was opened.

    A document whose number ends in 0000 is declined, any other is approved: a bank puts its own checks here.
    """
    command = linked(bank, id, token)
    if command is None:
        return 410, _html("This link does not hold any more", ""), None

    def move(outcome: str, reason: str | None) -> None:
        try:
            verify(bank, id, {"outcome": outcome, "reason": reason})
        except BadRequest:
            pass  # Opened or sent twice: the first counts.

    if form is None:
        move("opened", None)
        text = f"<p>{escape(str(command.content['customer'].get('name')))}, which document identifies you?</p>"
        field = '<label>Number <input name="document_number" required></label> <button>Send</button>'
        return 200, _html("Example Bank verification", f'{text}<form method="post">{field}</form>'), None
    document_number = parse_qs(form).get("document_number", [""])[0]
    is_declined = re.search(r"0000\s*$", document_number) is not None
    move("rejected" if is_declined else "approved", "declined" if is_declined else None)
    done = _html("Thank you", "<p>You can close this page.</p>")
    redirect_url = command.content.get("redirect_url")
    return (200, done, None) if redirect_url is None else (303, done, redirect_url)
