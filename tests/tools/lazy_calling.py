"""`preview_data` and `query_data` on lazy frames, under a deadline that a signal brings, as in a kernel."""

import signal
import threading

from pi_notebook.context.previews.frame_spills import FrameSpills
from pi_notebook.context.previews.references import Variables
from pi_notebook.context.spill import SpillFolder
from pi_notebook.errors import CodeTimeoutError
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.tools.needs import QueryEngine
from pi_notebook.tools.preview_data import preview_data
from pi_notebook.tools.query_data import query_data
from tests.tools.calling import context_for


class MainThread:
    """Calls at once on this thread, and interrupts what takes longer than it may or `at_most_seconds`."""

    def __init__(self, at_most_seconds=1e6):
        self.at_most_seconds = at_most_seconds

    async def call(self, function, *, timeout_seconds):
        is_late = threading.Event()

        def interrupt(*_):
            is_late.set()
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGALRM, interrupt)
        is_long = timeout_seconds > 10  # that of a glance stays
        seconds = min(timeout_seconds, self.at_most_seconds) if is_long else timeout_seconds
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            return function()
        except BaseException:
            if is_late.is_set():
                raise CodeTimeoutError("late", timeout_seconds=timeout_seconds) from None
            raise
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


class Shelf:
    def __init__(self, values):
        self.values = values

    def get(self, name):
        return self.values[name]

    def names(self):
        return list(self.values)


class Desk:
    """A session's tools over some variables, and the folder of its files."""

    def __init__(self, folder, **values):
        self.folder = folder / "spill"
        self.spills = FrameSpills(SpillFolder(path=self.folder))
        self.values = values

    async def preview(self, name, *, at_most_seconds=1e6, **arguments):
        return await self._call(preview_data, at_most_seconds, {"name": name, **arguments})

    async def text(self, name, **arguments):
        return text_of(await self.preview(name, **arguments))

    async def query(self, sql):
        return text_of(await self._call(query_data, 1e6, {"sql": sql}))

    async def _call(self, tool, at_most_seconds, arguments):
        context = context_for(self.folder.parent, name=tool.name)
        context.resources.update(
            {
                CodeExecutor: MainThread(at_most_seconds),
                Variables: Shelf(self.values),
                QueryEngine: QueryEngine(timeout_seconds=60.0),
                FrameSpills: self.spills,
                SpillFolder: SpillFolder(path=self.folder),
            }
        )
        return await tool.execute(context, tool.parse(arguments))


def text_of(result):
    return "".join(block.text for block in result.content)


def written(text):
    """The pattern of the files that a text tells of."""
    return text.partition("FROM '")[2].partition("'")[0]
