"""The errors pi_notebook raises on purpose.

PiNotebookError
├── ModelError                  .model
│   ├── ModelAuthError          no key, or a refused one
│   ├── ModelNotFoundError      no such model, or none of that name is known
│   ├── ModelUnavailableError   worth trying again  .retry_after_seconds .is_unreachable
│   ├── ModelRefusedError       the provider declines this content
│   ├── ModelRequestError       the provider calls the request wrong
│   │   └── ModelImageError     for a picture in it
│   └── ContextOverflowError    the request does not fit  .tokens .context_window
├── KernelError
│   ├── NoKernelError           no front end lends the main thread
│   └── CodeTimeoutError        .timeout_seconds
├── SessionError                .path
│   ├── SessionNotFoundError
│   ├── SessionFormatError      .line_number
│   ├── SessionBusyError        another run, or another process, holds it
│   ├── SessionFolderError      its working folder is gone  .folder
│   └── SessionWriteError       the file could not be written; nothing was acted on
├── BudgetError                 a run has used up what it may  .setting
├── SettingsError               .name
├── ToolDefinitionError         a function that cannot be made a tool
├── UsageError                  a wrong option, name or value typed by the person
└── InternalError               a fault of pi_notebook itself

A failure that the model can mend is never one of these: it is a tool result. Stopping a run is
neither. A message says what happened, to what, and what to do, in one line.
"""

from __future__ import annotations

from pathlib import Path

__all__ = [
    "BudgetError",
    "CodeTimeoutError",
    "ContextOverflowError",
    "InternalError",
    "KernelError",
    "ModelAuthError",
    "ModelError",
    "ModelImageError",
    "ModelNotFoundError",
    "ModelRefusedError",
    "ModelRequestError",
    "ModelUnavailableError",
    "NoKernelError",
    "PiNotebookError",
    "SessionBusyError",
    "SessionError",
    "SessionFolderError",
    "SessionFormatError",
    "SessionNotFoundError",
    "SessionWriteError",
    "SettingsError",
    "ToolDefinitionError",
    "UsageError",
]


class PiNotebookError(Exception):
    """The base of all errors pi_notebook raises on purpose.

    IPython shows one as its message alone: the frames are ours and tell the person nothing.
    """

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class ModelError(PiNotebookError):
    """A model did not answer."""

    def __init__(self, message: str, *, model: str) -> None:
        super().__init__(message)
        self.model = model


class ModelAuthError(ModelError):
    """No key is set, or the provider refused it."""


class ModelNotFoundError(ModelError):
    """No model of that name is known here or at the provider."""


class ModelUnavailableError(ModelError):
    """Network, rate limit or server failure: the same request may work later."""

    def __init__(
        self,
        message: str,
        *,
        model: str,
        retry_after_seconds: float | None = None,
        is_unreachable: bool = False,
    ) -> None:
        super().__init__(message, model=model)
        self.retry_after_seconds = retry_after_seconds
        self.is_unreachable = is_unreachable
        """True when the provider did not answer at all."""


class ModelRefusedError(ModelError):
    """The provider declines to answer this content."""


class ModelRequestError(ModelError):
    """The provider calls the request itself wrong; sending it again cannot help."""


class ModelImageError(ModelRequestError):
    """The provider does not take a picture of the request: its kind, its size, or any."""


class ContextOverflowError(ModelError):
    """The request does not fit the context window.

    `tokens` and `context_window` are the numbers the provider named, where it named them.
    `has_too_many_bytes` says that the request itself is too large to be sent: pictures weigh most.
    """

    def __init__(
        self,
        message: str,
        *,
        model: str,
        tokens: int | None = None,
        context_window: int | None = None,
        has_too_many_bytes: bool = False,
    ) -> None:
        super().__init__(message, model=model)
        self.tokens = tokens
        self.context_window = context_window
        self.has_too_many_bytes = has_too_many_bytes


class KernelError(PiNotebookError):
    """Code could not be run in the kernel."""


class NoKernelError(KernelError):
    """No cell or front end lends the kernel's main thread right now."""


class CodeTimeoutError(KernelError):
    """Code ran longer than it was given."""

    def __init__(self, message: str, *, timeout_seconds: float) -> None:
        super().__init__(message)
        self.timeout_seconds = timeout_seconds


class SessionError(PiNotebookError):
    """A session cannot be read or continued."""

    def __init__(self, message: str, *, path: Path | None = None) -> None:
        super().__init__(message)
        self.path = path


class SessionNotFoundError(SessionError):
    """No session has that id or path."""


class SessionFormatError(SessionError):
    """A file is not a session file, or a line of it cannot be used."""

    def __init__(self, message: str, *, path: Path | None = None, line_number: int | None = None) -> None:
        super().__init__(message, path=path)
        self.line_number = line_number


class SessionBusyError(SessionError):
    """Another run or another process is using the session."""


class SessionFolderError(SessionError):
    """A session's working folder is gone; it can go on in another."""

    def __init__(self, message: str, *, path: Path | None = None, folder: Path) -> None:
        super().__init__(message, path=path)
        self.folder = folder


class SessionWriteError(SessionError):
    """An entry could not be made durable; what would have followed was not done."""


class SettingsError(PiNotebookError):
    """A setting's name or value is wrong."""

    def __init__(self, message: str, *, name: str) -> None:
        super().__init__(message)
        self.name = name


class BudgetError(PiNotebookError):
    """A run has used up its tool calls, tokens, money or time; the session can go on."""

    def __init__(self, message: str, *, setting: str) -> None:
        super().__init__(message)
        self.setting = setting


class ToolDefinitionError(PiNotebookError):
    """A function's signature cannot be turned into a tool."""


class UsageError(PiNotebookError):
    """An option, name or value that the person typed is wrong; the message names the right ones."""


class InternalError(PiNotebookError):
    """A fault of pi_notebook itself; the log has the traceback."""
