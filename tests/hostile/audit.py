"""What a page must not hold, whatever text it was given: looked for in its elements."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

from tests.hostile.markup import NAMES

_SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


def audit(page: Page, selector: str, *, are_links_ours: bool = True) -> list[str]:
    """The faults below `selector`, and whether any text has run; empty when all is well.

    Where the application draws the links, how they look is its affair.
    """
    found: list[str] = page.evaluate(_SCRIPT, [selector, NAMES, are_links_ours])
    return found
