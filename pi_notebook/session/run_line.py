"""Who has a session now, and who waits for it.

One prompt or compaction is on at a time. A prompt is refused while another is being answered, and
waits in line while the context is being compacted: it will be answered soon, and must not be lost.
"""

from __future__ import annotations

import threading

from pi_notebook.errors import SessionBusyError
from pi_notebook.session.run_scope import RunScope


class RunLine:
    """The scopes of one session, the one that is on first; entered on its loop, looked at from anywhere."""

    def __init__(self) -> None:
        self._scopes: list[RunScope] = []
        self._lock = threading.Lock()

    @property
    def current(self) -> RunScope | None:
        """The one that is on."""
        scopes = self._scopes
        return scopes[0] if scopes else None

    @property
    def is_answering(self) -> bool:
        """True while a prompt is being answered; its compactions before and between turns included."""
        current = self.current
        return current is not None and current.is_answering

    def check_answering(self) -> None:
        """Raise `SessionBusyError` while a prompt is being answered."""
        if self.is_answering:
            raise SessionBusyError(
                "This session is answering already. Stop it first, or wait until it is done."
            )

    def check_idle(self) -> None:
        """Raise `SessionBusyError` while anything is on."""
        self.check_answering()
        if self.current is not None:
            raise SessionBusyError("This session is being compacted. Wait until it is done.")

    async def enter(self, scope: RunScope) -> None:
        """Return when it is the turn of `scope`.

        Raises `SessionBusyError` while a prompt is being answered, and `Aborted` when `scope` is stopped
        before its turn.
        """
        with self._lock:
            self.check_answering()
            self._scopes.append(scope)
        try:
            while (before := self._before(scope)) is not None:
                await scope.signal.guard(before.ended())
        except BaseException:
            self.leave(scope)
            raise

    def leave(self, scope: RunScope) -> None:
        """`scope` is over, or waits no longer."""
        with self._lock:
            self._scopes.remove(scope)
        scope.end()

    def stop(self) -> None:
        """Stop what is on and what waits; from any thread and from a signal handler."""
        for scope in tuple(self._scopes):
            scope.stop()

    async def settle(self) -> None:
        """Wait until everything has ended; for a few seconds at most."""
        for scope in tuple(self._scopes):
            await scope.wait()

    def _before(self, scope: RunScope) -> RunScope | None:
        """The one that `scope` waits for."""
        with self._lock:
            place = self._scopes.index(scope)
            return self._scopes[place - 1] if place else None
