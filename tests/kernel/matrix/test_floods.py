"""Row 11: more output than anyone reads."""

import pytest

from tests.kernel.matrix.case import BOTH, case, matrix, reads

pytestmark = pytest.mark.kernel


FLOODS = [
    case(
        "200,000 lines",
        reads("for i in range(200_000): print('x' * 70)", None, "xxx", "Full output: "),
        how=BOTH,
        is_chosen=True,
        seconds=30,
    ),
    case(
        "a line of 50 MB",
        reads("print('x' * 50_000_000)", None, "xxx", "Full output: "),
        seconds=30,
        is_chosen=True,
    ),
    case(
        "50 MB without a newline in pieces",
        reads(
            "import sys\nfor _ in range(500): r = sys.stdout.write('x' * 100_000)",
            None,
            "xxx",
            "Full output: ",
        ),
        seconds=30,
    ),
    case(
        "a progress bar of 100,000 frames",
        reads("for i in range(100_001): print(f'\\r{i // 1000} %', end='')\nprint()", None, "100 %"),
        seconds=30,
        is_chosen=True,
    ),
    case(
        "a progress bar on stderr",
        reads(
            "import sys\nfor i in range(1001): print(f'\\r{i // 10} %', end='', file=sys.stderr, flush=True)",
            "100 %",
        ),
        seconds=30,
    ),
    case(
        "100,000 single characters",
        reads("import sys\nfor i in range(100_000): r = sys.stdout.write('x')", None, "xxx"),
        seconds=30,
    ),
    case("blank lines", reads("print('a' + '\\n' * 100_000 + 'b')", None, "b"), seconds=30),
    case(
        "a child's 50 MB",
        reads("!head -c 50000000 /dev/zero | tr '\\0' x | fold -w 99", None, "xxx", "Full output: "),
        seconds=30,
    ),
    case(
        "a child's binary output",
        reads("!head -c 1000000 /dev/urandom", None, "(binary output of "),
        seconds=30,
    ),
    case(
        "both streams at once",
        reads(
            "import sys\nfor i in range(20_000): print('out'); print('err', file=sys.stderr)",
            None,
            "out\nerr\nout\nerr\n",
            "Full output: ",
        ),
        seconds=30,
    ),
    case(
        "ten threads",
        reads(
            """
        import threading
        threads = [threading.Thread(target=lambda: [print('x' * 70) for _ in range(5_000)]) for _ in range(10)]
        for t in threads: t.start()
        for t in threads: t.join()
        """,
            None,
            "xxx",
            "Full output: ",
        ),
        seconds=30,
    ),
    case(
        "warnings",
        reads(
            "import warnings\nwarnings.simplefilter('always')\nfor i in range(2_000): warnings.warn(f'number {i}')",
            None,
            "number 1999",
        ),
        seconds=30,
        before="import warnings; kept = warnings.filters[:]",
        after="warnings.filters[:] = kept; warnings._filters_mutated()",
    ),
    case(
        "3,000 displays",
        reads(
            "from IPython.display import display\nfor i in range(3_000): display(i)",
            None,
            "0\n1\n2\n",
            "[2900 displays after the first 100 were left out.]",
        ),
        seconds=30,
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "3,000 updates of a display",
        reads(
            "from IPython.display import display\nh = display('start', display_id=True)\nfor i in range(3_000): h.update(i)",
            None,
            "2999",
        ),
        seconds=30,
    ),
    case(
        "displays of 20 MB",
        reads(
            "from IPython.display import display, HTML\ndisplay(HTML('<b>' * 7_000_000))",
            None,
            "[A display larger than 8 MB was not shown.]",
        ),
        seconds=30,
    ),
    case(
        "cleared output",
        reads(
            "from IPython.display import clear_output\nfor i in range(1000):\n    clear_output(wait=True); print(i)",
            None,
            "999",
        ),
        seconds=30,
    ),
    case(
        "a widget's comm",
        reads("from ipywidgets import IntSlider\nIntSlider()", None, "IntSlider"),
        after="import ipywidgets; ipywidgets.Widget.close_all(); import gc; gc.collect()",
    ),
    case(
        "a log of 20,000 records",
        reads(
            "import logging\nfor i in range(20_000): logging.getLogger('flood').error('record %d', i)",
            None,
            "record 19999",
            "Full output: ",
        ),
        seconds=30,
    ),
]


@matrix(FLOODS)
def test_a_flood_is_read_in_bounds(check, case, how):
    check(case, how)
