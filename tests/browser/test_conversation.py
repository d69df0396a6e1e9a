"""The conversation of the panel: how each of its parts is drawn, opened, followed and gone on from.

The kernel's side is `tests.browser.partner` where a test is about what the panel makes of a message,
and the product's own where it is about both.
"""

import base64
import json
import struct
import zlib

import pytest
from playwright.sync_api import expect

from benchmarks.session_files import write_session
from pi_notebook.session.home import Home
from tests.browser.lab import axe
from tests.browser.partner import INSTALL, example, quiet
from tests.browser.test_panel import picture
from tests.hostile.audit import audit

ANSWER = """\
The mean is \\(\\bar{x}\\), it cost $5 in May and $6 in June.

\\[
\\sigma^2 = 1
+ 2
\\]

And $e = m$:

```python
x = '$5' + r'\\(y\\)'

print(x)
```

```bash
ls
```"""
CODE = "x = '$5' + r'\\(y\\)'\n\nprint(x)"

HOSTILE = "\x1b[31m<img src=x onerror=top.pwned=1><svg onload=top.pwned=2> [a](javascript:top.pwned=3) "


def png(width: int, height: int) -> str:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\x40\x80\xc0" * width) * height)
    made = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    return base64.b64encode(made).decode()


PICTURE = {"mime_type": "image/png", "data": png(64, 32)}


def prompt(number, text, **more):
    return {"type": "prompt", "id": f"p{number}", "entry_id": f"e{number}", "text": text, "images": []} | more


def answer(number, text, **more):
    return {"type": "text", "id": f"t{number}", "text": text, "is_whole": True, "interrupted": ""} | more


def call(number, **more):
    segment = {"type": "call", "id": f"c{number}", "call_id": f"call_{number}", "tool": "run_code"}
    segment |= {"given": f"look({number})", "output": "seen", "hidden_lines": 0, "path": "", "images": []}
    return segment | {"state": "done", "seconds": 0.2} | more


def snapshot(*segments, is_running=False, is_shortened=False):
    made = quiet(example("snapshot"))
    status = made["status"] | {"is_running": is_running}
    return made | {"status": status, "segments": list(segments), "is_shortened": is_shortened}


def events(*told):
    return {"type": "events", "events": list(told)}


def grown(segment_id, text):
    return events({"type": "text_delta", "segment_id": segment_id, "text": text})


@pytest.fixture
def partner(lab, page):
    """Says what it is given to the panel of a notebook that is open."""
    page.open(lab.notebook("conversation", "1"), panel=False)
    page.execute(INSTALL)
    page.execute("import json")
    page.command("pi-notebook:open-panel")
    expect(page.panel.get_by_role("log")).to_contain_text("How many rows has df?")

    def say(*messages):
        page.execute(f"partner.say(*json.loads({json.dumps(messages)!r}))")

    return say


def distance_from_end(log):
    return log.evaluate("log => log.scrollHeight - log.clientHeight - log.scrollTop")


def test_answers_are_drawn_with_formulas_and_their_code_can_be_taken(page, partner):
    partner(snapshot(answer(1, ANSWER)))
    drawn = page.answer("The mean is")
    expect(drawn.locator("mjx-container")).to_have_count(3, timeout=20_000)  # its library is loaded first
    expect(drawn).to_contain_text("it cost $5 in May and $6 in June.")
    code = drawn.locator("pre").filter(has_text="print")
    expect(code).to_have_text(CODE)
    expect(drawn.get_by_role("button", name="Insert as cell")).to_have_count(1)
    drawn.get_by_role("button", name="Insert as cell").click()
    expect(page.cells).to_have_count(2)
    expect(page.cells.nth(1).locator(".cm-line").first).to_have_text("x = '$5' + r'\\(y\\)'")
    expect(page.cells.nth(1).locator(".jp-InputPrompt")).to_have_text("[ ]:")
    drawn.get_by_role("button", name="Copy code").first.click()
    expect(drawn.get_by_role("button", name="Copied")).to_have_count(1)


def test_what_is_folded_opens_by_keyboard_and_what_broke_off_says_so(page, partner):
    partner(
        snapshot(
            {"type": "thinking", "id": "h1", "text": "A *count* is enough.", "is_whole": True},
            *(call(number) for number in range(5)),
            answer(1, "I have seen", is_whole=False, interrupted="retried"),
            answer(2, "I have looked."),
            example("snapshot")["segments"][4],
            call(9, images=[PICTURE], state="failed", output="ValueError: no rows"),
            answer(3, "The rest is", interrupted="stopped"),
        )
    )
    log = page.panel.get_by_role("log")
    expect(page.answer("I have seen")).to_contain_text("Broke off here and was asked for again")
    expect(page.answer("The rest is")).to_contain_text("Stopped here")
    picture = log.get_by_role("img", name="Picture that run_code drew")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.naturalWidth") == 64
    expect(log.locator(".jp-pi-Call.jp-mod-failed")).to_contain_text("ValueError: no rows")
    expect(log.get_by_text("look(3)")).to_have_count(0)
    for heading, inside in (
        ("5 tool calls", "look(3)"),
        ("Summarised: 101k → 12k tokens", "Count the rows."),
    ):
        expect(log.get_by_text(inside)).to_have_count(0)
        log.locator("summary").filter(has_text=heading).focus()
        page.page.keyboard.press("Enter")
        expect(log.get_by_text(inside)).to_be_visible()
    log.locator("summary").filter(has_text="Thought").first.click()
    expect(log.locator("em").filter(has_text="count")).to_be_visible()


def test_a_call_shows_the_end_of_its_output_as_it_grows_and_opens_to_all_of_it(page, partner):
    page.execute(
        "partner.answer = lambda request: [] if request['type'] != 'output' else [dict(type='output', "
        "request_id=request['request_id'], text='\\n'.join(map(str, range(500))), path='', is_cut=False, "
        "next_offset=0)]"
    )
    thinking = {"type": "thinking", "id": "h1", "text": "Hm", "is_whole": False}
    partner(snapshot(thinking, call(1, state="running", output="", seconds=0.0), is_running=True))
    log = page.panel.get_by_role("log")
    expect(log.get_by_text("Thinking …")).to_be_visible()
    expect(log.get_by_role("img", name="running")).to_be_visible()
    tail = {"type": "call_output", "segment_id": "c1", "output": "498\n499", "hidden_lines": 498}
    partner(events(tail))
    output = log.get_by_label("Output", exact=True)
    expect(output).to_have_text("498\n499")
    expect(log.get_by_text("… 498 lines above")).to_be_visible()
    done = call(1, output="498\n499", hidden_lines=498, seconds=61.25)
    whole = thinking | {"is_whole": True}
    partner(
        events({"type": "segment", "segment": whole}, {"type": "segment", "segment": done}),
        snapshot(whole, done),
    )
    expect(log.get_by_role("img", name="done")).to_be_visible()
    expect(log.get_by_text("61.3 s")).to_be_visible()
    expect(log.get_by_text("Thought for")).to_be_visible()
    log.get_by_role("button", name="Open full output").click()
    expect(output).to_contain_text("0\n1\n2\n3")
    log.get_by_role("button", name="Show the end only").click()
    expect(output).to_have_text("498\n499")


def test_an_output_opens_in_a_tab_part_by_part(page, partner):
    page.execute(
        f"lines = {HOSTILE!r} + '\\n'.join(map(str, range(1000)))\n"
        "partner.answer = lambda request: [] if request['type'] != 'output' else [dict(type='output', "
        "request_id=request['request_id'], path='out.txt', is_cut=not request['offset'], next_offset=2000, "
        "text=lines[2000:] if request['offset'] == 2000 else lines[:2000])]"
    )
    partner(snapshot(call(1, output="998\n999", hidden_lines=998)))
    opener = page.panel.get_by_role("button", name="Open in a tab")
    opener.focus()
    page.page.keyboard.press("Enter")
    tab = page.page.locator(".jp-pi-OutputPanel")
    status = tab.get_by_role("status")
    expect(status).to_have_text("The beginning of the output · out.txt")
    expect(page.page.get_by_role("tab", name="Output of run_code")).to_be_visible()
    text = tab.get_by_role("region", name="Output")
    expect(text).to_be_focused()
    shown = HOSTILE.replace("\x1b[31m", "")  # a colour for a terminal
    expect(text.locator("pre").first).to_contain_text(f"{shown}0\n1\n2\n")
    assert audit(page.page, ".jp-pi-OutputPanel") == []
    picture(page, "output-tab")
    tab.get_by_role("button", name="Show more").press("Enter")
    expect(status).to_have_text("All of the output · out.txt")
    expect(text).to_contain_text("998\n999")
    expect(text).to_be_focused()
    expect(tab.get_by_role("button", name="Show more")).to_have_count(0)
    tab.get_by_role("button", name="Copy output").click()
    expect(tab.get_by_role("button", name="Copied")).to_be_visible()
    assert axe(page.page, ".jp-pi-OutputPanel") == []
    opener.press("Enter")
    expect(tab).to_have_count(1)


def test_the_end_stays_in_view_unless_one_has_gone_up_and_each_part_is_read_once(page, partner):
    paragraphs = [f"Paragraph {number} of the answer. " + "More of it. " * 12 for number in range(40)]
    partner(snapshot(prompt(1, "Tell me."), answer(1, "", is_whole=False), is_running=True))
    log = page.panel.get_by_role("log")
    for paragraph in paragraphs[:20]:
        partner(grown("t1", f"{paragraph}\n\n"))
    expect(log.get_by_text("Paragraph 19")).to_be_in_viewport()
    assert distance_from_end(log) < 5
    log.hover()
    page.page.mouse.wheel(0, -30)
    jump = page.panel.get_by_role("button", name="Jump to the newest")
    before = log.evaluate("log => log.scrollTop")
    for paragraph in paragraphs[20:]:
        partner(grown("t1", f"{paragraph}\n\n"))
    expect(jump).to_be_visible()
    expect(log.get_by_text("Paragraph 39")).not_to_be_in_viewport()
    assert abs(log.evaluate("log => log.scrollTop") - before) <= 31
    jump.click()
    expect(log.get_by_text("Paragraph 39")).to_be_in_viewport()
    expect(jump).to_have_count(0)
    partner(events({"type": "segment", "segment": answer(1, "\n\n".join(paragraphs))}))
    aloud = page.panel.locator("[aria-live=polite] p")
    expect(aloud.last).to_have_text(paragraphs[-1].strip())
    read = aloud.all_inner_texts()
    assert read == [paragraph.strip() for paragraph in paragraphs[-len(read) :]]


def test_prompts_are_gone_on_from_and_code_is_allowed_as_it_was_changed(page, partner):
    page.execute(
        "partner.answer = lambda request: [] if request['type'] != 'fork_session' else "
        "[dict(type='done', request_id=request['request_id'], text=request['entry_id'], path='')]"
    )
    partner(snapshot(prompt(1, "How many rows?", images=[PICTURE]), answer(1, "Three.")))
    asked = page.panel.locator(".jp-pi-Turn").filter(has_text="How many rows?")
    expect(asked.get_by_role("img", name="Picture of the prompt")).to_be_visible()
    asked.get_by_role("button", name="Change and ask again").focus()
    page.page.keyboard.press("Enter")
    expect(page.panel.get_by_label("Prompt", exact=True)).to_have_value("How many rows?")
    page.execute("assert [r['entry_id'] for r in partner.requests if r['type'] == 'fork_session'] == ['e1']")
    page.execute(
        "partner.answer = lambda request: [dict(type='withdrawn', request_id=request['request_id'])] "
        "if request['type'] == 'approve' else []"
    )
    hidden = "print('\u202eneddih')"
    partner(example("ask") | {"request_id": "q1", "code": hidden})
    question = page.panel.get_by_role("group", name="Permission for run_code")
    expect(question.get_by_label("Code", exact=True)).to_have_text("print('\\u{202e}neddih')")
    question.get_by_role("button", name="Edit", exact=True).click()
    field = question.get_by_label("Code to run instead")
    expect(field).to_be_focused()
    expect(question).to_contain_text("print('\\u{202e}neddih')")
    field.fill("print('seen')")
    field.press("Control+Enter")
    expect(question).to_have_count(0)
    page.execute(
        "said = [r for r in partner.requests if r['type'] == 'approve'][-1]\n"
        "assert said['code'] == \"print('seen')\" and said['allowed'] and said['scope'] == 'once', said"
    )
    edits = json.dumps([{"old_text": "a\nb", "new_text": "a\nc"}])
    partner(
        example("ask")
        | {"request_id": "q2", "tool": "edit", "code": None, "arguments": f"path: notes.md\nedits: {edits}"}
    )
    question = page.panel.get_by_role("group", name="Permission for edit")
    expect(question.get_by_label("Change")).to_have_text("  a- b+ c")
    question.get_by_label("Reason for denying").fill("not now")
    question.get_by_label("Reason for denying").press("Enter")
    expect(question).to_have_count(0)


def test_a_session_of_5000_messages_is_read_to_its_beginning(lab, page):
    home = Home(root=lab.notebooks.parent / "home")
    path = write_session(home, lab.notebooks, entries=5_000)
    page.open(lab.notebook("long", f"%agent resume {path}"))
    expect(page.panel.get_by_label("Prompt", exact=True)).to_be_enabled()
    page.run_cell(0)
    log = page.panel.get_by_role("log")
    expect(log.locator(".jp-pi-Row").first).to_be_visible(timeout=30_000)
    expect(page.panel.get_by_role("button", name="Jump to the newest")).to_have_count(0)
    older = log.get_by_role("button", name="Show older messages")
    expect(older).to_have_count(1)
    pages = 0
    while older.or_(log.get_by_text("Loading older messages …")).count():
        height = log.evaluate("log => log.scrollHeight")
        log.evaluate("log => { log.scrollTop = 0; }")
        page.page.wait_for_function(
            "before => document.querySelector('#pi-notebook-panel [role=log]').scrollHeight > before + 1000",
            arg=height,
        )
        assert log.evaluate("log => log.scrollTop") > 1000, "what was in view has moved"
        pages += 1
    assert pages > 5
    log.evaluate("log => { log.scrollTop = 0; }")
    first = log.locator(".jp-pi-Row").first
    expect(first.locator(".jp-pi-Prompt")).to_be_visible()
    assert log.locator(".jp-pi-Row").count() < 60


def test_long_names_and_wide_tables_cut_nothing_off_and_each_script_has_its_direction(page, partner):
    table = "| description | amount |\n|---|---|\n| averyveryverylongwordofatable | 1 |"
    said = snapshot(
        answer(1, f"{table}\n\n{'x' * 300}\n\nשלום `x = 1` עולם\n\n- [x] done\n- [ ] open"),
        call(1, tool="a_tool_of_a_server_with_a_name_longer_than_the_panel", state="failed", seconds=12345.6),
    )
    said["status"] |= {"model": "a-provider/" + "model-" * 20, "session_name": "A <b>name</b> " * 20}
    partner(said)
    card = page.panel.locator(".jp-pi-Call")
    expect(card).to_contain_text("failed · 12345.6 s")
    log = page.panel.get_by_role("log")
    assert log.evaluate("log => log.scrollWidth - log.clientWidth") == 0
    policy = page.panel.get_by_role("button", name="Context policy: notebook").locator(".jp-pi-Picker-value")
    assert policy.evaluate("name => name.scrollWidth - name.clientWidth") == 0
    drawn = page.answer("description")
    head = drawn.locator("th").first
    assert head.evaluate("cell => cell.getBoundingClientRect().height") < 40  # one line
    expect(drawn.get_by_role("listitem")).to_have_text(["☑ done", "☐ open"])
    directions = [
        block.evaluate("block => getComputedStyle(block).direction")
        for block in (drawn.get_by_text("שלום"), drawn.locator("code"), drawn.get_by_text("xxx"))
    ]
    assert directions == ["rtl", "ltr", "ltr"]
    assert drawn.get_by_text("שלום").evaluate("block => getComputedStyle(block).textAlign") == "start"
