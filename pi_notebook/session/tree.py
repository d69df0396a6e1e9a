"""The tree that the entries of a session form, and its current branch.

A parent always stands on an earlier line, so there can be no cycle: a parent that is missing, or
stands later, or is the entry itself, is replaced by the entry on the line before and reported.
Reading and writing lines is the business of `store`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import overload

from msgspec import UnsetType

from pi_notebook.agent.entries import Entry
from pi_notebook.session.journal import Journal


class Node:
    """An entry's place in the tree and in the file; the entry itself is read when it is wanted."""

    __slots__ = ("entry", "id", "length", "line", "offset", "parent")

    def __init__(self, entry_id: str, *, offset: int, length: int, line: bytes | None = None) -> None:
        self.id = entry_id
        self.offset = offset
        self.length = length
        self.line = line
        """The line itself where there is no file."""
        self.entry: Entry | None = None
        self.parent: Node | None = None

    def read(self, journal: Journal | None) -> bytes:
        """The line as it was written, without its newline."""
        if self.line is not None:
            return self.line
        assert journal is not None
        return journal.read(self.offset, self.length)


class Tree:
    """All nodes in the order of the file, the leaf, and the branch that ends in it."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.leaf: Node | None = None
        self._by_id: dict[str, Node] = {}
        self._branch: list[Node] | None = []

    def add(self, node: Node, parent_id: str | UnsetType | None) -> str | None:
        """Put `node` after all others and make it the leaf; what was wrong with its parent, if anything."""
        fault = None
        if parent_id is not None:
            node.parent = self._by_id.get(parent_id) if isinstance(parent_id, str) else None
            if node.parent is None:
                fault = self._adopt(node, parent_id)
        self.nodes.append(node)
        self._by_id[node.id] = node
        self._move(node)
        return fault

    def find(self, entry_id: str) -> Node | None:
        """The newest node of that id."""
        return self._by_id.get(entry_id)

    def branch(self) -> list[Node]:
        """The nodes from the root to the leaf. The list may grow, but what is in it stays as it is."""
        if self._branch is None:
            branch = []
            node = self.leaf
            while node is not None:
                branch.append(node)
                node = node.parent
            self._branch = branch[::-1]
        return self._branch

    def _adopt(self, node: Node, parent_id: str | UnsetType) -> str:
        node.parent = self.nodes[-1] if self.nodes else None
        named = parent_id or "nothing"
        instead = f"entry {node.parent.id}" if node.parent else "nothing"
        return f"entry {node.id} follows {named}, which is not above it; it is taken to follow {instead}"

    def _move(self, node: Node) -> None:
        if self._branch is not None and node.parent is self.leaf:
            self._branch.append(node)
        else:
            self._branch = None
        self.leaf = node


class NodeEntries(Sequence[Entry]):
    """The entries of the first `count` of `nodes`, each read when it is asked for."""

    def __init__(self, nodes: list[Node], count: int, read: Callable[[Node], Entry]) -> None:
        self._nodes = nodes
        self._count = count
        self._read = read

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Entry: ...

    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...

    def __getitem__(self, index: int | slice) -> Entry | list[Entry]:
        if isinstance(index, slice):
            return [self._read(self._nodes[i]) for i in range(self._count)[index]]
        return self._read(self._nodes[range(self._count)[index]])
