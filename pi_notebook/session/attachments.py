"""What goes with a prompt by name, by `--attach` or `@`: variables, files, cells and the last error.

An attachment stands before the prompt as a message of its own, within the bounds of the tool that
looks at such things and those here; the prompt itself stays as it was typed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pi_notebook._nearest import did_you_mean
from pi_notebook.agent.abort import AbortSignal
from pi_notebook.agent.messages import (
    CustomMessage,
    ImageContent,
    Message,
    TextContent,
    ToolCall,
    UserContent,
    now_ms,
)
from pi_notebook.agent.secrets import without_secrets
from pi_notebook.agent.tools import Tool, ToolContext, ToolError, ToolResult
from pi_notebook.context.mentions import find_mentions
from pi_notebook.context.pictures import picture_of
from pi_notebook.context.policies.bounds import Bounds
from pi_notebook.context.previews.budget import count_tokens, cut_to_fit
from pi_notebook.context.previews.references import Variables, resolve
from pi_notebook.context.tokens import image_tokens
from pi_notebook.errors import KernelError, UsageError
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.kernel.history import CellHistory
from pi_notebook.session.attached_before import is_attached_before
from pi_notebook.tools.needs import WorkingFolder
from pi_notebook.tools.paths import resolve_path
from pi_notebook.tools.picture import image_block
from pi_notebook.tools.preview_data import preview_data
from pi_notebook.tools.read import read

CUSTOM_TYPE = "pi_notebook/attachment"
MAX_TOKENS = 10_000
"""Of one attachment; all of a prompt have twice as much."""
_LEAST_TOKENS = 100
_SECONDS = 10.0
_CELL = re.compile(r"In\[(\d{1,9})\]")
_VALUE = re.compile(r"Out\[\d+\]")


@dataclass(frozen=True, kw_only=True)
class _Attachment:
    name: str
    kind: str
    content: list[UserContent]


async def attachments(
    names: Sequence[str], prompt: str, resources: Mapping[type, Any], messages: Sequence[Message] = ()
) -> list[CustomMessage]:
    """A message for each of `names` and for what `prompt` mentions with `@`, each thing once.

    What stands in `messages`, those of the context, word for word is only named. A variable comes before
    a file of the same name. Raises `UsageError` when one of `names` is
    nothing, or cannot be shown, before anything is sent; such a mention stays text.
    """
    looker = _Looker(resources)
    found: dict[tuple[str, str], _Attachment] = {}
    for name in names:
        attachment = await looker.named(name)
        found.setdefault(looker.key(attachment), attachment)
    for readings in find_mentions(prompt):
        mentioned = await looker.mentioned(readings)
        if mentioned is not None:
            found.setdefault(looker.key(mentioned), mentioned)
    most = min(MAX_TOKENS, Bounds.of(resources).asked_tokens)
    bounded = _bounded(list(found.values()), most)
    return [_message(_shortest(attachment, messages)) for attachment in bounded]


async def shown(name: str, kind: Literal["variable", "file"], resources: Mapping[type, Any]) -> str | None:
    """The text that shows the variable or file `name` as it is now; None when it cannot be shown."""
    tool, argument = (preview_data, "name") if kind == "variable" else (read, "path")
    with suppress(ToolError, KernelError, OSError):
        content = await _Looker(resources).looked_at(tool, {argument: name})
        return without_secrets("\n".join(block.text for block in content if isinstance(block, TextContent)))
    return None


class _Looker:
    """Looks at what a name names, with a session's resources."""

    def __init__(self, resources: Mapping[type, Any]) -> None:
        self._resources = resources
        self._variables: Variables | None = resources.get(Variables)
        self._history: CellHistory | None = resources.get(CellHistory)
        self._executor: CodeExecutor | None = resources.get(CodeExecutor)
        self._folder: Path = resources[WorkingFolder].path

    async def named(self, name: str) -> _Attachment:
        """What `name` names; `UsageError` when that is nothing or cannot be shown."""
        try:
            found = await self._find(name.removeprefix("@"))
        except ToolError as error:
            raise UsageError(f"{name} cannot be attached: {error}") from None
        if found is None:
            raise UsageError(self._unknown(name))
        return found

    async def mentioned(self, readings: Sequence[str]) -> _Attachment | None:
        """What the first of `readings` that can be shown names."""
        for name in readings:
            with suppress(ToolError):
                if (found := await self._find(name)) is not None:
                    return found
        return None

    def key(self, attachment: _Attachment) -> tuple[str, str]:
        """The same for two names of one thing."""
        if attachment.kind == "file":
            return "file", str(resolve_path(attachment.name, self._folder))
        with suppress(SyntaxError, ValueError):
            return attachment.kind, ast.unparse(ast.parse(attachment.name, mode="eval"))
        return attachment.kind, attachment.name

    async def _find(self, name: str) -> _Attachment | None:
        """None when `name` names nothing; `ToolError` when it cannot be shown."""
        special = await self._special(name)
        if special is not None:
            return special
        if self._is_variable(name):
            try:
                return await self._variable(name)
            except ToolError:
                if not self._is_path(name):
                    raise
        if not self._is_path(name):
            return None
        return _Attachment(name=name, kind="file", content=await self.looked_at(read, {"path": name}))

    async def _special(self, name: str) -> _Attachment | None:
        """A cell's code, or the last error."""
        if self._history is None:
            return None
        cell = _CELL.fullmatch(name)
        if cell is not None and (code := self._history.code(int(cell[1]))) is not None:
            return _Attachment(name=name, kind="cell", content=[TextContent(text=code)])
        if name != "error" or self._executor is None:
            return None
        with suppress(KernelError):
            error = await self._executor.call(self._history.last_error, timeout_seconds=_SECONDS)
            if error is not None:
                return _Attachment(name=name, kind="error", content=[TextContent(text=error.traceback)])
        return None

    async def _variable(self, name: str) -> _Attachment:
        """The preview, and the picture where the value is one."""
        content = await self.looked_at(preview_data, {"name": name})
        with suppress(KernelError, ToolError):
            if (png := await self._picture(name)) is not None:
                content.append(image_block(png, name)[0])
        return _Attachment(name=name, kind="variable", content=content)

    async def _picture(self, name: str) -> bytes | None:
        executor, variables = self._executor, self._variables
        if executor is None or variables is None:
            return None
        return await executor.call(lambda: picture_of(resolve(name, variables)), timeout_seconds=_SECONDS)

    def _is_variable(self, name: str) -> bool:
        if self._variables is None or self._executor is None:
            return False
        head = name.replace("[", ".").split(".")[0]
        return head in self._variables.names() or _VALUE.fullmatch(name) is not None

    def _is_path(self, name: str) -> bool:
        try:
            return resolve_path(name, self._folder).exists()
        except (ToolError, OSError, ValueError):
            return False

    async def looked_at(self, tool: Tool, arguments: dict[str, Any]) -> list[UserContent]:
        """What `tool` gives; `ToolError` when it gives nothing."""
        context = ToolContext(
            call=ToolCall(id="attachment", name=tool.name, arguments=arguments),
            abort=AbortSignal(),
            update=lambda text: None,
            resources=self._resources,
        )
        result: ToolResult = await tool.execute(context, tool.parse(arguments))
        if result.is_error:
            raise ToolError("".join(b.text for b in result.content if isinstance(b, TextContent)))
        return list(result.content)

    def _unknown(self, name: str) -> str:
        names = self._variables.names() if self._variables else []
        return f"There is no variable and no file {name!r} to attach.{did_you_mean(name, names)}"


def _shortest(attachment: _Attachment, messages: Sequence[Message]) -> _Attachment:
    """What tells the same as `attachment` to a reader of `messages`."""
    message = _message(attachment)
    if not is_attached_before(message, messages):
        return attachment
    text = f"[Unchanged: {attachment.name} was shown above like this, word for word.]"
    return replace(attachment, content=[TextContent(text=text)])


def _bounded(found: Sequence[_Attachment], max_tokens: int) -> list[_Attachment]:
    """The attachments within their bounds, earlier ones first."""
    left = 2 * max_tokens
    kept = []
    for attachment in found:
        content, used = _fitted(attachment, min(max_tokens, left))
        kept.append(replace(attachment, content=content))
        left -= used
    return kept


def _fitted(attachment: _Attachment, room: int) -> tuple[list[UserContent], int]:
    """The content within `room` tokens, and how many it takes."""
    kept: list[UserContent] = []
    used = 0
    for block in attachment.content:
        if isinstance(block, ImageContent):
            tokens = image_tokens(block)
            fitted: UserContent = block if used + tokens <= room else _left_out("The picture is")
        else:
            text = without_secrets(block.text)
            fitted = (
                TextContent(text=cut_to_fit(text, room - used))
                if room >= _LEAST_TOKENS
                else _left_out("It is")
            )
        kept.append(fitted)
        used += image_tokens(fitted) if isinstance(fitted, ImageContent) else count_tokens(fitted.text)
    return kept, used


def _left_out(what: str) -> TextContent:
    tool = "preview_data or read shows it"
    return TextContent(text=f"[{what} left out: the attachments before it leave no room; {tool}.]")


def _message(attachment: _Attachment) -> CustomMessage:
    content: list[UserContent] = [
        TextContent(text=f'<attachment {attachment.kind}="{attachment.name}">'),
        *attachment.content,
        TextContent(text="</attachment>"),
    ]
    return CustomMessage(
        custom_type=CUSTOM_TYPE,
        content=content,
        display=False,
        details={"name": attachment.name, "kind": attachment.kind},
        timestamp=now_ms(),
    )
