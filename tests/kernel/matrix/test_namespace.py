"""Row 19: what the person's and the kernel's names become."""

import pytest

from tests.kernel.matrix.case import BOTH, ON, case, fails, matrix, reads

pytestmark = pytest.mark.kernel


NAMES = [
    case(
        "%reset -f",
        reads("%reset -f\nprint('empty')", "empty"),
        ON,
        after="import tests.kernel.matrix.script as script",
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "get_ipython deleted",
        reads(
            "del get_ipython",
            "[Names that the notebook needs were deleted by the code; put back: get_ipython.]",
        ),
        reads("get_ipython().autoawait", "True"),
        is_chosen=True,
    ),
    case(
        "get_ipython and IPython's tables replaced",
        reads(
            "display_ = get_ipython = _oh = _ih = _dh = None",
            "[Names that the notebook needs were replaced by the code; put back: get_ipython, _ih, _oh, _dh.]",
        ),
        reads("%pwd\nget_ipython().autoawait, len(_ih) > 1, type(_oh).__name__", "(True, True, 'dict')"),
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "get_ipython imported",
        reads("from IPython import get_ipython"),
        reads("get_ipython().autoawait", "True"),
    ),
    case(
        "shadowed names",
        reads(
            "print_ = print; list = dict = str = open = len = json = os = sys = 5; print_('shadowed')",
            "shadowed",
        ),
        ON,
        after="for n in 'list dict str open len json os sys'.split(): globals().pop(n, None)",
        how=BOTH,
        is_chosen=True,
    ),
    case("print shadowed", reads("print = None"), reads("6 * 7", "42"), after="del print"),
    case(
        "underscores of the person's",
        reads("_ = 'mine'"),
        reads("7", "7"),
        reads("_", "str 'mine'"),
        after="del _",
    ),
    case(
        "builtins.print gone",
        reads(
            "import builtins; builtins.print = None", "[Builtins were replaced by the code; put back: print.]"
        ),
        reads("6 * 7", "42"),
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "builtins.open and len gone",
        reads(
            "import builtins; builtins.open = builtins.len = None",
            "[Builtins were replaced by the code; put back: len, open.]",
        ),
        reads("for i in range(20_000): print(i)", None, "Full output: "),
        is_chosen=True,
    ),
    case(
        "builtins.__import__ that fails",
        reads(
            "import builtins\ndef bad(*a, **k): raise ImportError('no imports')\nbuiltins.__import__ = bad",
            "[Builtins were replaced by the code; put back: __import__.]",
        ),
        reads("6 * 7", "42"),
    ),
    case(
        "builtins.isinstance that lies",
        reads(
            "import builtins\nbuiltins.isinstance = lambda *a: True",
            "[Builtins were replaced by the code; put back: isinstance.]",
        ),
    ),
    case(
        "builtins with names added",
        reads(
            "import builtins; builtins.profile = lambda f: f",
            "(no output)",
        ),
        ON,
        after="import builtins; del builtins.profile",
    ),
    case(
        "json broken",
        reads("import json; json.dumps = json.loads = json.JSONEncoder = None; print('broken')"),
        ON,
        is_chosen=True,
    ),
    case(
        "pathlib broken",
        reads(
            "import pathlib; pathlib.Path.exists = pathlib.Path.open = pathlib.Path.mkdir = None; print('broken')"
        ),
        reads("for i in range(20_000): print(i)", None, "19999", "Full output: "),
    ),
    case(
        # Its clocks are left alone here: asyncio reads them on ipykernel's own threads too.
        "time broken",
        reads(
            "import time; kept = time.sleep; time.sleep = lambda *a: 1/0; print('broken')",
            "broken\n[time.sleep was replaced by the code; put back.]",
        ),
        ON,
        after="time.sleep = kept",
    ),
    case(
        "os broken",
        reads(
            "import os; kept = os.getcwd, os.stat, os.listdir; os.getcwd = os.stat = os.listdir = lambda *a, **k: 1/0; print('broken')"
        ),
        ON,
        after="os.getcwd, os.stat, os.listdir = kept",
    ),
    case(
        "threading broken",
        reads("import threading; kept = threading.Thread; threading.Thread = None; print('broken')"),
        ON,
        after="threading.Thread = kept",
    ),
    case(
        "our package reloaded",
        reads(
            "import importlib, pi_notebook; r = importlib.reload(pi_notebook); print('reloaded')", "reloaded"
        ),
        ON,
    ),
    case(
        "our modules forgotten",
        reads(
            "import sys\nkept = {n: sys.modules.pop(n) for n in list(sys.modules) if n.startswith('pi_notebook')}\nprint(len(kept) > 50)",
            "True",
        ),
        ON,
        after="import sys; sys.modules.update(kept)",
        is_chosen=True,
    ),
    case("the extension loaded again", reads("%load_ext pi_notebook\nprint('on')", None, "on"), ON),
    case(
        "the agent called from within",
        fails("%%agent\nhello", None, "This session is answering already"),
        ON,
        how=BOTH,
        is_chosen=True,
    ),
    case("the agent's command from within", reads("%agent sessions", None, "first prompt", "| go |"), ON),
    case("the shell's namespace replaced", reads("get_ipython().user_ns['x'] = 1; x", "1"), ON),
    case(
        "an ast transformer that fails",
        reads(
            """
        import ast
        class Bad(ast.NodeTransformer):
            def visit(self, node): raise ValueError('bad')
        get_ipython().ast_transformers.append(Bad()); print('set')
        """,
            "set",
        ),
        reads("6 * 7", None, "AST transformer", "It will be unregistered.", "42"),
        after="get_ipython().ast_transformers.clear()",
    ),
    case(
        "a formatter that fails",
        reads(
            "get_ipython().display_formatter.formatters['text/plain'].for_type(complex, lambda *a: 1/0)\n1j"
        ),
        reads("2j"),
        after="get_ipython().display_formatter.formatters['text/plain'].pop(complex)",
    ),
    case(
        "an input transformer that fails",
        reads(
            "def bad(lines): raise ValueError('no')\nget_ipython().input_transformers_cleanup.append(bad); print('set')",
            "set\n[An input transformer that the code registered fails (ValueError); taken out.]",
        ),
        ON,
        how=BOTH,
    ),
    case(
        "a transformer of lines that never ends",
        reads(
            "def bad(lines):\n    while True: pass\nget_ipython().input_transformer_manager.line_transforms.insert(0, bad); print('set')",
            None,
            "set\n[An input transformer that the code registered fails (",
        ),
        ON,
    ),
    case(
        "an input transformer that works",
        reads(
            "def blank(lines): return [line.replace('SIX', '6') for line in lines]\nget_ipython().input_transformers_post.append(blank); print('set')",
            "set",
        ),
        reads("SIX * 7", "42"),
        after="get_ipython().input_transformers_post.remove(blank)",
    ),
    case(
        "callbacks of events that fail",
        fails(
            "def bad(*a): raise ValueError('no')\nfor e in ('pre_execute', 'pre_run_cell', 'post_execute', 'post_run_cell'): get_ipython().events.register(e, bad)",
            None,
            "ValueError: no",
            "[A callback of the event pre_execute that the code registered fails (ValueError); taken out.]",
            "[A callback of the event pre_run_cell that the code registered fails (ValueError); taken out.]",
            "[A callback of the event post_execute that the code registered fails (ValueError); taken out.]",
            "[A callback of the event post_run_cell that the code registered fails (ValueError); taken out.]",
        ),
        ON,
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "a callback of an event that works",
        reads(
            "seen = []\ndef note(*a): seen.append(1)\nget_ipython().events.register('pre_run_cell', note); print('set')",
            "set",
        ),
        reads("len(seen) > 1", "True"),
        after="get_ipython().events.unregister('pre_run_cell', note)",
    ),
    case(
        "our extension loaded anew",
        reads(
            "%reload_ext pi_notebook\nprint('on')",
            "on\n[reload_extension('pi_notebook') was ignored; it would stop the agent that runs this code.]",
        ),
        ON,
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "our extension unloaded",
        reads(
            "%unload_ext pi_notebook\nprint('on')",
            "on\n[unload_extension('pi_notebook') was ignored; it would stop the agent that runs this code.]",
        ),
        ON,
    ),
    case(
        "another extension loaded anew",
        reads("%reload_ext storemagic\nprint('on')", "on"),
        ON,
    ),
    case(
        "every name deleted",
        reads(
            "for n in list(globals()):\n    if n != 'n': del globals()[n]\nprint('gone')",
            "gone\n[Names that the notebook needs were deleted by the code; put back: In, Out, _ih, _oh, _dh, get_ipython, exit, quit.]",
        ),
        ON,
        after="import tests.kernel.matrix.script as script",
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "the namespace emptied",
        reads(
            "globals().clear()",
            "[Names that the notebook needs were deleted by the code; put back: In, Out, _ih, _oh, _dh, get_ipython, exit, quit.]",
        ),
        ON,
        after="import tests.kernel.matrix.script as script",
    ),
    case(
        "sys.modules emptied",
        reads("import sys\nsys.modules.clear()", "[sys.modules was emptied by the code; put back.]"),
        reads("import json; json.dumps(1)", "str '1'"),
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "the history turned off",
        reads(
            "hm = get_ipython().history_manager; kept = hm.enabled; hm.enabled = False; print('off')", "off"
        ),
        ON,
        after="hm.enabled = kept",
    ),
    case(
        "the count of cells changed",
        reads(
            "kept = get_ipython().execution_count; get_ipython().execution_count = -5; print('changed')",
            "changed",
        ),
        ON,
        after="get_ipython().execution_count = kept + 1",
    ),
    case(
        "a class of ours broken",
        reads(
            "import pi_notebook.kernel.streams as s; kept = s.CapturedStream.write; s.CapturedStream.write = lambda self, text: len(text); print('lost')"
        ),
        after="s.CapturedStream.write = kept",
    ),
]


@matrix(NAMES)
def test_names_are_damaged_and_the_agent_goes_on(check, case, how):
    check(case, how)
