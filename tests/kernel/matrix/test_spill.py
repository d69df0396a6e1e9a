"""Row 18: what becomes of the folder that long outputs are kept in."""

import pytest

from tests.kernel.matrix.case import BOTH, ON, case, matrix, reads

pytestmark = pytest.mark.kernel

FOLDER = """
import os, shutil
from pi_notebook.ui.extension import current_session
session = current_session()
folder = str(session.services.home.spill_folder(session.id))
shutil.rmtree(folder, ignore_errors=True)
"""
CLEAN = "import os, shutil\nos.remove(folder) if os.path.isfile(folder) or os.path.islink(folder) else shutil.rmtree(folder, ignore_errors=True)"
FLOOD = "for i in range(20_000): print('long', i)"
WHOLE = reads(FLOOD, None, "long 19999", "Full output: ")


def spill(id, damage, then, **fields):
    """A long output, damage to where it went, and another."""
    return case(id, WHOLE, reads(damage), then, before=FOLDER, after=CLEAN, **fields)


DAMAGED = [
    spill("deleted", "shutil.rmtree(folder)", WHOLE, is_chosen=True, how=BOTH),
    spill("renamed", "os.rename(folder, folder + '-away'); shutil.rmtree(folder + '-away')", WHOLE),
    spill(
        "a file instead",
        "shutil.rmtree(folder); open(folder, 'w').close()",
        reads(FLOOD, None, "long 19999", "The rest was not kept: the file could not be written ("),
        is_chosen=True,
    ),
    spill(
        "a link instead",
        "shutil.rmtree(folder); os.symlink('/tmp', folder)",
        reads(FLOOD, None, "long 19999", "The rest was not kept: the file could not be written ("),
        is_chosen=True,
    ),
    spill(
        "a dead link instead",
        "shutil.rmtree(folder); os.symlink('/no/such/place', folder)",
        reads(FLOOD, None, "long 19999", "The rest was not kept: the file could not be written ("),
    ),
    spill("open to all", "os.chmod(folder, 0o777)", WHOLE),
    spill("full of files", "for i in range(2_000): open(f'{folder}/{i}', 'w').close()", WHOLE),
    spill("its parent gone too", "shutil.rmtree(os.path.dirname(folder))", WHOLE),
    case(
        "deleted while it is written",
        reads(
            "for i in range(400_000): print('long', i)\nimport shutil; shutil.rmtree(folder)\nfor i in range(20_000): print('more', i)",
            None,
            "more 19999",
        ),
        ON,
        before=FOLDER,
        after=CLEAN,
        seconds=30,
    ),
]


@matrix(DAMAGED)
def test_a_long_output_is_read_whatever_became_of_the_folder(check, case, how):
    check(case, how)
