"""Which shell commands only look, so that a notebook does not need them. In doubt a command acts."""

from __future__ import annotations

import re

_LOOKS = {
    *("ls", "cat", "head", "tail", "wc", "grep", "egrep", "fgrep", "rg", "find", "file", "du", "df", "pwd"),
    *("which", "type", "stat", "tree", "nl", "sort", "uniq", "cut", "tr", "awk", "sed", "less", "more", "jq"),
    *("date", "env", "printenv", "uname", "whoami", "id", "ps", "free", "nproc", "echo", "printf", "true"),
    *("md5sum", "sha256sum", "diff", "cmp", "column", "zcat", "unzip -l", "tar -t", "cd", "test", "xxd"),
    *("git status", "git log", "git diff", "git show", "git branch", "pip list", "pip show", "pip freeze"),
    *("nvidia-smi", "lscpu", "hostname", "realpath", "basename", "dirname", "strings"),
}
_PARTS = re.compile(r"\|\||&&|[|;\n]")
_ACTS = re.compile(
    r"(?<![0-9&])>(?!&|\s*/dev/null)|\$\(|`|-delete\b|-exec\b|\bsed\b.*\s-\w*i|--in-place|-o\b|\btee\b"
)
_ERRORS_AWAY = re.compile(r"[12&]>(?:&[12]|\s*/dev/null)")


def only_looks(command: str) -> bool:
    """Whether `command` changes nothing, by the names of what it calls."""
    plain = _ERRORS_AWAY.sub("", command)
    if _ACTS.search(plain):
        return False
    parts = [part.strip() for part in _PARTS.split(plain) if part.strip()]
    return all(_looks(part) for part in parts)


def _looks(part: str) -> bool:
    words = part.split()
    return words[0] in _LOOKS or " ".join(words[:2]) in _LOOKS or words[1:] in (["--version"], ["-V"])
