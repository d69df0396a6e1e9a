"""`python -m tests.browser.pictures [FOLDER]`: the README's pictures of panel and inspector, taken anew.

A scripted model talks about the penguins in a real JupyterLab; what is seen is what a person sees. With
a folder, pictures in other sizes, themes and in Notebook 7 are left there as well: who changes the style
looks at them.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Locator, expect, sync_playwright

from tests.browser.lab import ROOT, FrontEnd, Lab, LabPage, chromium, lab_page
from tests.provider import Provider, calls, chunk, text
from tests.replies import Reply

PICTURES = ROOT / "example_notebooks" / "pictures"
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
ALL_THEMES = THEMES | {"contrast": "JupyterLab Dark High Contrast"}
SIZE = (1280, 840)
OTHER_SIZES = ((1400, 900), (1000, 640))
PANEL_WIDTH = 440
OTHER_WIDTHS = (300, 400, 600)
WAIT_MS = 120_000

MODEL = "openai/gpt-4o"
SETUP = f"""\
import matplotlib.font_manager
get_ipython().extension_manager.load_extension("pi_notebook")
get_ipython().run_line_magic("agent", "model {MODEL}")"""
READ = """\
import pandas as pd

penguins = pd.read_csv("data/penguins.csv")
len(penguins)"""
FIRST = "Which species is the heaviest, and how does body mass go with flipper length?"
THOUGHT = "The means say which species is heaviest; a plot and *r* say how mass goes with flippers."
MEANS = """\
by_species = penguins.groupby("species")["body_mass_g"]
by_species.agg(["count", "mean", "std"]).round(1)"""
PLOT = """\
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(6, 2.6))
for species, group in penguins.groupby("species"):
    axes.plot(group["flipper_length_mm"], group["body_mass_g"], ".", label=species)
axes.legend()
penguins["flipper_length_mm"].corr(penguins["body_mass_g"]).round(2)"""
ANSWER = """\
**Gentoo penguins are the heaviest**:

| species | birds | mean, g |
|---|--:|--:|
| Adelie | 151 | 3,701 |
| Chinstrap | 68 | 3,733 |
| Gentoo | 123 | 5,076 |

Body mass rises with flipper length over all three (correlation $r = 0.87$)."""
SECOND = "Name the axes of the plot, with their units."
NAMED = 'axes.set(xlabel="flipper length, mm", ylabel="body mass, g")\naxes.legend()'


def usage(prompt: int) -> dict[str, int]:
    """What a reply of some length costs after a prompt of so many tokens."""
    return {"prompt_tokens": prompt, "completion_tokens": 210, "total_tokens": prompt + 210}


def first_replies() -> list[Reply]:
    """A thought, a table, a plot and an answer."""
    role, *rest = calls(("run_code", {"code": MEANS}), say="I compare the species first.", usage=usage(4_400))
    return [
        [role, chunk({"reasoning_content": THOUGHT}), *rest],
        calls(("run_code", {"code": PLOT}), usage=usage(4_900)),
        text(ANSWER, usage=usage(5_600)),
    ]


def second_replies(cell: str) -> list[Reply]:
    """A change of the cell that draws the plot, and a word at the end."""
    arguments = {"cell": cell, "old_text": "axes.legend()", "new_text": NAMED}
    return [
        calls(("edit_cell", arguments), say="I name both where the plot is drawn.", usage=usage(6_100)),
        text("Both axes are named: millimetres and grams.", usage=usage(6_400)),
    ]


def converse(page: LabPage, lab: Lab, provider: Provider) -> None:
    """Ask, see the answer, ask for a change, and come to the question whether it may be made."""
    shutil.copytree(ROOT / "example_notebooks" / "data", lab.notebooks / "data")
    provider.script(*first_replies())
    page.open(lab.notebook("penguins", READ), panel=False)
    page.execute(SETUP)
    page.run_cell(0)
    expect(page.output(0)).to_have_text("344")
    page.command("pi-notebook:open-panel")
    expect(page.panel.get_by_role("button", name="Model")).to_contain_text(MODEL)
    page.ask(FIRST)
    page.panel.get_by_role("button", name="Always in this run").click()
    expect(page.answer("Body mass rises").locator("mjx-container")).to_have_count(1)
    drawn = "() => window.jupyterapp.shell.currentWidget.content.model.cells.get(2).id"
    provider.script(*second_replies(page.page.evaluate(drawn)))
    page.ask(SECOND)
    expect(page.panel.get_by_role("group", name="Permission for edit_cell")).to_be_visible()


def panel_pictures(page: LabPage, looked_at: Path | None) -> None:
    """The question, and all above it."""
    widen(page, PANEL_WIDTH)
    shoot(page, PICTURES / "panel", THEMES)
    if not looked_at:
        return
    log = page.panel.get_by_role("log")
    for width in OTHER_WIDTHS:
        widen(page, width)
        log.evaluate("log => { log.scrollTop = log.scrollHeight; }")
        shoot(page, looked_at / f"question-{width}", ALL_THEMES, page.panel)
        log.evaluate("log => { log.scrollTop = 0; }")
        shoot(page, looked_at / f"conversation-{width}", ALL_THEMES, page.panel)
    for width, height in OTHER_SIZES:
        page.page.set_viewport_size({"width": width, "height": height})
        widen(page, width // 3)
        shoot(page, looked_at / f"panel-{width}", ALL_THEMES)


def inspector_pictures(page: LabPage, looked_at: Path | None) -> None:
    """The inspector in the main area, the panel put away."""
    page.page.set_viewport_size({"width": SIZE[0], "height": SIZE[1]})
    page.panel.get_by_role("log").evaluate("log => { log.scrollTop = log.scrollHeight; }")
    page.panel.get_by_role("button", name="Allow once").click()
    expect(page.answer("Both axes are named")).to_be_visible()
    page.command("application:toggle-right-area")
    page.command("pi-notebook:open-inspector")
    inspector = page.page.locator(".jp-pi-InspectorPanel")
    expect(inspector.locator(".jp-pi-Inspector-title")).to_contain_text("tokens")
    inspector.locator(".jp-pi-Part-line").first.click()
    expect(inspector.get_by_role("region", name="What the model saw")).not_to_be_empty()
    shoot(page, PICTURES / "inspector", THEMES, inspector)
    if not looked_at:
        return
    for name in ("Composition", "Timeline", "Compactions", "Ledger", "Raw"):
        inspector.get_by_role("tab", name=name).click()
        expect(inspector.get_by_role("tabpanel", name=name)).not_to_contain_text("Asking the kernel")
        for width, height in (SIZE, *OTHER_SIZES) if looked_at else ():
            page.page.set_viewport_size({"width": width, "height": height})
            shoot(page, looked_at / f"inspector-{name.lower()}-{width}", ALL_THEMES, inspector)


def widen(page: LabPage, width: int) -> None:
    """Draw the panel's edge to where the panel is so wide."""
    box = page.panel.bounding_box()
    assert box is not None
    mouse = page.page.mouse
    mouse.move(box["x"] - 2, 300)
    mouse.down()
    mouse.move(box["x"] - 2 + box["width"] - width, 300, steps=4)
    mouse.up()


def shoot(page: LabPage, path: Path, themes: dict[str, str], shown: Locator | None = None) -> None:
    """A small picture in each theme, of the page or of a part of it."""
    page.page.mouse.move(0, 0)
    page.page.evaluate("() => document.activeElement?.blur()")
    for suffix, theme in themes.items():
        page.theme(theme)
        page.settle("body")
        png = (shown or page.page).screenshot()
        # Lossless is smaller than a palette would be, and keeps every colour.
        image = Image.open(BytesIO(png)).convert("RGB")
        image.save(path.with_name(f"{path.name}-{suffix}.webp"), lossless=True)


def take(browser: Browser, lab: Lab, provider: Provider, front_end: FrontEnd, looked_at: Path | None) -> None:
    """The pictures of one front end."""
    view: dict[str, Any] = {"viewport": {"width": SIZE[0], "height": SIZE[1]}, "device_scale_factor": 1.5}
    context = browser.new_context(**view)
    with lab_page(context, lab, front_end) as page:
        context.set_default_timeout(WAIT_MS)
        converse(page, lab, provider)
        if front_end == "lab":
            page.command("application:toggle-left-area")
            panel_pictures(page, looked_at)
            inspector_pictures(page, looked_at)
        elif looked_at:
            shoot(page, looked_at / "notebook-7", ALL_THEMES)
            page.command("pi-notebook:open-inspector")
            shoot(page, looked_at / "notebook-7-inspector", ALL_THEMES)


def main(folder: str = "") -> None:
    """Take the pictures."""
    expect.set_options(timeout=WAIT_MS)
    looked_at = Path(folder) if folder else None
    if looked_at:
        looked_at.mkdir(parents=True, exist_ok=True)
    with (
        Provider() as provider,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place,
        sync_playwright() as playwright,
    ):
        env = {"PYTHONPATH": os.getcwd(), "OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": provider.base_url}
        lab = Lab(Path(place), env)
        browser = chromium(playwright)
        front_ends: tuple[FrontEnd, ...] = ("lab", "notebook") if looked_at else ("lab",)
        for front_end in front_ends:
            take(browser, lab, provider, front_end, looked_at)
        browser.close()
        lab.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
