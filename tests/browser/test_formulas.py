"""Formulas of an answer: mathematics is typeset; what else LaTeX can do in a page is not done."""

import json

import pytest
from playwright.sync_api import expect

from tests.browser.partner import INSTALL
from tests.hostile.audit import audit

REAL = {
    r"$\frac{a}{b}$": "mfrac",
    r"$$\sqrt{x^2 + 1}$$": "msqrt",
    r"\(\sum_{i=1}^n i\)": "munderover",
    r"\[\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}\]": "mtable",
    r"\begin{align} a &= b \\ c &= d \end{align}": "mtable",
    r"$\text{if } x > 0$": "mtext",
    r"$\hat{y}$": "mover",
    r"$\color{red}{x}$": "mstyle",
    r"$\binom{n}{k}$": "mfrac",
    r"$\operatorname{Var}(x)$": "mi",
    r"$\ce{H2O}$": "msub",
    r"$\underbrace{x}_{y}$": "munder",
    r"$x_i^2 \in \mathbb{R}$": "msubsup",
}
HOSTILE = [
    r"$\href{javascript:top.pwned=1}{x}$",
    r"$$\href{https://attacker.invalid/}{x}$$",
    r"\(\url{https://attacker.invalid/}\)",
    r"$\includegraphics{https://attacker.invalid/a.png}$",
    r"$\unicode[url(https://attacker.invalid/)]{x41}$",
    r"$\require{unknown}\require{https://attacker.invalid/a.js}$",
    r"$\style{position:fixed;inset:0;background:url(https://attacker.invalid/)}{x}$",
    r"$\class{jp-Button}{\cssId{jupyter-config-data}{x}}$",
    r"$\htmlClass{jp-Button}{x}\htmlId{main}{x}\htmlStyle{position:fixed}{x}\htmlData{a=1}{x}$",
    r"$\data{commandlinker-command=x}{x}\bbox[url(https://attacker.invalid/)]{x}$",
    r"$\mmlToken{mi}[href='javascript:top.pwned=1' onclick='top.pwned=1']{x}$",
    r"$\text{$\href{javascript:top.pwned=1}{x}$}$",
    r"$\text{<img src=x onerror=top.pwned=1>}$",
    r"\begin{align} \href{javascript:top.pwned=1}{x} \end{align}",
    "$\\hr<!-- -->ef{javascript:top.pwned=1}{x}$ $\\hr<b></b>ef{javascript:top.pwned=1}{x}$",
    "x" * (2**16 - 4) + r"$\href{javascript:top.pwned=1}{x}$",  # a browser begins another text in the name
]
REDEFINING = [
    r"$\renewcommand{\leq}{\geq}$",
    r"$\newcommand{\leq}{\geq}$",
    r"$\def\leq{\geq}$",
    r"$\let\leq=\geq$",
    r"$\DeclareMathOperator{\leq}{more}$",
    r"$\renewenvironment{pmatrix}{x}{y}$",
]
ENDLESS = [
    r"$\def\a{\a\a}\a$",
    "$x" + "^{x" * 200 + "}" * 200 + "$",
    "$" + r"\sqrt{" * 200 + "x" + "}" * 200 + "$",
]


@pytest.fixture
def say(lab, page):
    """Says an answer in the panel, and waits until it is drawn."""
    page.open(lab.notebook("formulas", "1"), panel=False)
    page.execute(INSTALL)
    page.command("pi-notebook:open-panel")
    expect(page.panel.get_by_role("log")).to_contain_text("How many rows has df?")

    def said(name, *texts):
        text = "\n\n".join([f"# {name}", *texts, f"*{name} is said*"])
        page.execute(f"import json; partner.say_answer(json.loads({json.dumps(text)!r}))")
        answer = page.answer(f"{name} is said")
        expect(answer.locator("em")).to_have_text(f"{name} is said")
        return answer

    return said


def test_formulas_are_typeset_and_do_nothing_else(page, say):
    answer = say("Real", *REAL)
    expect(answer.locator("mjx-container")).to_have_count(len(REAL))
    for place, element in enumerate(REAL.values()):
        assert answer.locator("mjx-container").nth(place).locator(f"math {element}").count() > 0, element
    expect(answer.locator("[data-mjx-error]")).to_have_count(0)

    answer = say("Hostile", *HOSTILE, *REDEFINING)
    expect(answer.locator("mjx-container a, mjx-container [href], mjx-container [id]")).to_have_count(0)
    assert audit(page.page, "#pi-notebook-panel") == []

    answer = say("Same", r"$a \leq b$", r"$\begin{pmatrix} 1 \end{pmatrix}$")
    expect(answer.locator("math mo").first).to_have_text("≤")
    expect(answer.locator("math mtable")).to_have_count(1)


def test_a_formula_ends_and_stays_in_its_answer(page, say):
    covered = say("Covered", "Here stands what is true.")
    answer = say("Covering", r"$\smash{\raise{3em}{\colorbox{red}{lies lies lies lies}}}$", *ENDLESS)
    expect(answer.locator("mjx-container")).to_have_count(1 + len(ENDLESS))
    seen = covered.locator("em").evaluate(
        """shown => {
          const { x, y, width, height } = shown.getBoundingClientRect();
          return document.elementFromPoint(x + width / 4, y + height / 2) === shown;
        }"""
    )
    assert seen
