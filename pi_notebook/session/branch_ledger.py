"""The ledger of a branch when part of it is summarised: its records, and what other programs left instead."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from pi_notebook.agent.entries import CompactionEntry, MessageEntry
from pi_notebook.agent.messages import Message
from pi_notebook.context.call_record import LEDGER_TYPE, CallRecord
from pi_notebook.context.compaction.file_calls import call_records, detail_records
from pi_notebook.context.ledger import Ledger, records_of
from pi_notebook.session.branch import Branch


def branch_ledger(branch: Branch, summarised: Sequence[Message]) -> Ledger:
    """What the records of `branch` add up to, with the files of calls that left none.

    Those are found among the messages that are `summarised` now, and in the details of the compaction
    before for all that was summarised earlier.
    """
    records = all_records(branch)
    ledger = Ledger(records)
    known = {record.tool_call_id for record in records}
    own = set(ledger.files)
    found = call_records(summarised, known=known, folder=str(branch.store.folder))
    for record in (*_before(branch), *found):
        if not any(file.path in own or _is_apart(branch, file.path) for file in record.files):
            ledger.add(record)
    return ledger


def all_records(branch: Branch) -> list[CallRecord]:
    """The records of `branch`, oldest first."""
    return records_of(branch.store.branch().of_kind(f"custom:{LEDGER_TYPE}"))


def records_since_prompt(branch: Branch) -> list[CallRecord]:
    """The records that stand behind the person's last prompt, oldest first."""
    found = []
    for entry in reversed(branch.store.branch().of_kind(f"custom:{LEDGER_TYPE}", "message:user")):
        if isinstance(entry, MessageEntry):
            break
        found.append(entry)
    return records_of(reversed(found))


def _before(branch: Branch) -> Iterator[CallRecord]:
    """One record for each file that the newest compaction names."""
    compactions = branch.store.branch().of_kind("compaction")
    newest = compactions[-1] if compactions else None
    if isinstance(newest, CompactionEntry):
        yield from detail_records(newest.details)


def _is_apart(branch: Branch, path: str) -> bool:
    """Whether a file is the program's own, such as the whole of a long output."""
    file = branch.store.path
    return file is not None and len(file.parents) > 2 and path.startswith(os.path.join(file.parents[2], ""))
