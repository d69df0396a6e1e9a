"""A folder full of what makes listing and searching hard, and what ripgrep says of it."""

import os
from pathlib import Path

FILES = {
    ".gitignore": "*.log\nbuild/\n/only_top.txt\n!keep.log\ncache/**\ndocs/*.tmp\n\\#odd\n",
    ".hidden": "needle hidden\n",
    "a.py": "import os\nneedle = 1\nNeedle = 2\nlast\n",
    "a.log": "needle ignored\n",
    "keep.log": "needle kept\n",
    "only_top.txt": "needle\n",
    "sub/only_top.txt": "needle below\n",
    "build/out.txt": "needle built\n",
    "sub/build/out.txt": "needle built\n",
    "cache/x/y.txt": "needle cached\n",
    "docs/a.tmp": "needle\n",
    "docs/deep/a.tmp": "needle deep\n",
    "#odd": "needle odd\n",
    "sub/.gitignore": "*.py\n!b.py\n",
    "sub/.ignore": "!c.py\n*.dat\n",
    "sub/b.py": "needle b\n",
    "sub/c.py": "needle c\n",
    "sub/d.py": "needle d\n",
    "sub/e.dat": "needle\n",
    "sub/deep/.rgignore": "z*\n",
    "sub/deep/z.txt": "needle z\n",
    "sub/deep/y.txt": "one\ntwo\nneedle three\nfour\nfive\nneedle six\r\nseven\n",
    ".git/config": "needle git\n",
    "nested/.git/HEAD": "needle\n",
    "nested/x.log": "needle in another repository\n",
    "long.txt": "x" * 3000 + "needle" + "y" * 3000 + "\n",
    "space name.txt": "needle (a+b)? [x]\n",
    "\u4e2d.txt": "\u9488 needle \u00dcber\n",
    "folder.txt/inside": "needle\n",
}


def make_tree(folder: Path) -> Path:
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")
    (folder / "binary.bin").write_bytes(b"needle\0needle\n")
    (folder / "latin.txt").write_bytes("needle gr\xf6\xdfe\n".encode("latin-1"))
    (folder / "utf16.csv").write_bytes("a,needle\nb,c\n".encode("utf-16"))
    (folder / "bom.txt").write_bytes(b"\xef\xbb\xbfneedle at the start\n")
    (folder / "link.txt").symlink_to("a.py")
    (folder / "loop").symlink_to(".")
    os.mkfifo(folder / "pipe")
    return folder
