"""What files held after the agent wrote or edited them, and the cell that writes one again."""

from __future__ import annotations

from pathlib import Path, PurePath

from pi_notebook.agent.tools import ToolError
from pi_notebook.session.export.texts import shown_file
from pi_notebook.session.recorded_cells import RecordedCell
from pi_notebook.tools.replacements import Replacement, replace_all

MAX_FILE_CHARS = 200_000


class FileTexts:
    """Follows the `write` and `edit` calls of a branch, in their order."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._texts: dict[str, str] = {}

    def after(self, cell: RecordedCell) -> str | None:
        """What its file holds after `cell`; None when the session cannot tell."""
        path = shown_file(str(cell.arguments.get("path", "")), self._folder)
        if cell.kind == "write":
            self._texts[path] = cell.text
        elif path in self._texts and not self._edit(path, cell.arguments.get("edits")):
            del self._texts[path]
        text = self._texts.get(path)
        return text if text is not None and len(text) <= MAX_FILE_CHARS else None

    def _edit(self, path: str, edits: object) -> bool:
        if not isinstance(edits, list):
            return False
        try:
            wanted = [Replacement(old=str(one["old_text"]), new=str(one["new_text"])) for one in edits]
            self._texts[path], _ = replace_all(self._texts[path], wanted, path)
        except (ToolError, KeyError, TypeError):  # the file was changed by something else meanwhile
            return False
        return True


def file_cell(path: str, content: str) -> str:
    """The source of a cell that writes `content` to `path`, its folder included."""
    folder = PurePath(path).parent.as_posix()
    is_plain = path.replace("/", "").replace(".", "").replace("-", "").replace("_", "").isalnum()
    if folder == "." and is_plain and content.strip() and "\r" not in content:
        return f"%%writefile {path}\n{content.removesuffix(chr(10))}"
    lines = ["import pathlib", ""]
    lines += [f"pathlib.Path({folder!r}).mkdir(parents=True, exist_ok=True)"] if folder != "." else []
    return "\n".join([*lines, f"pathlib.Path({path!r}).write_text({content!r}, encoding='utf-8')"])
