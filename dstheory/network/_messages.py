"""Messages along a join tree, computed on demand and shared by all versions of a network.

The name of a message is a digest of its inputs: the valuations of its subtree, the order in which
they were combined, and the variables that were kept. So networks that differ by a few valuations
share all messages that do not depend on these, and retracting a valuation restores the earlier
messages. If there are too many, the messages unused for longest are dropped.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Generic, TypeVar

from dstheory.network._algebra import Algebra, Part
from dstheory.network._join_tree import JoinTree, Scope
from dstheory.notebook import ShownFields

P = TypeVar("P", bound=Part)
T = TypeVar("T")
Digest = bytes | None
Task = tuple[bool, int]  # (towards the root?, node)

_UP, _DOWN = True, False


@dataclass(frozen=True)
class Statistics(ShownFields):
    """The cost of local computation so far, for all versions of a network together.

    Attributes
    ----------
    combinations : int
        Pairs of valuations combined.
    messages_computed, messages_reused : int
        Messages computed, and messages that a version reused from others.
    """

    combinations: int
    messages_computed: int
    messages_reused: int


class Store(Generic[P]):
    """Stored messages, numbers for valuations, and counters."""

    def __init__(self, algebra: Algebra[P]) -> None:
        self.algebra = algebra
        self.combinations = 0
        self.computed = 0
        self.reused = 0
        self._kept: OrderedDict[bytes, P | None] = OrderedDict()
        self._n_bytes = 0
        self._n_valuations = 0

    def number(self) -> int:
        """A fresh number for a valuation."""
        self._n_valuations += 1
        return self._n_valuations

    @property
    def statistics(self) -> Statistics:
        """The counters."""
        return Statistics(self.combinations, self.computed, self.reused)

    def find(self, digest: bytes) -> tuple[bool, P | None]:
        """Whether a message is known, and the message."""
        if digest not in self._kept:
            return False, None
        self.reused += 1
        self._kept.move_to_end(digest)
        return True, self._kept[digest]

    def keep(self, digest: bytes, part: P | None, limit: int) -> None:
        """Store a message and drop the longest unused ones beyond the limits."""
        self._n_bytes += self._size(part) - self._size(self._kept.get(digest))
        self._kept[digest] = part
        while len(self._kept) > limit or self._n_bytes > self.algebra.limits.max_bytes:
            _, old = self._kept.popitem(last=False)
            self._n_bytes -= self._size(old)

    def _size(self, part: P | None) -> int:
        return 0 if part is None else self.algebra.n_bytes(part)

    def combine(self, *parts: P | None) -> P | None:
        """Combine all parts, where None is neutral."""
        found: P | None = None
        for part in parts:
            if found is None:
                found = part
            elif part is not None:
                self.combinations += 1
                found = self.algebra.combine(found, part)
        return found

    def reduce(self, part: P | None, scope: Scope) -> P | None:
        """The marginal on those variables of a scope that the part has."""
        return None if part is None else self.algebra.marginalize(part, scope)


class Messages(Generic[P]):
    """Messages of one version: a tree, and the numbered valuations on its leaves."""

    def __init__(
        self, store: Store[P], tree: JoinTree, leaves: Mapping[int, Sequence[tuple[int, P]]]
    ) -> None:
        self.store = store
        self.tree = tree
        self.leaves = leaves
        # Room for the messages of several versions, in both directions.
        self.limit = 16 * len(tree.scopes) + 1024
        self._known: dict[Task, P | None] = {}
        self._n_bytes = 0
        self._digests: dict[Task, Digest] = {}

    def up(self, node: int) -> P | None:
        """Combination of all valuations below a node, on its separator."""
        return self._get((_UP, node))

    def down(self, node: int) -> P | None:
        """Combination of all other valuations, on the separator of the node."""
        return self._get((_DOWN, node))

    def own(self, node: int) -> P | None:
        """Combination of the valuations of a leaf."""
        return self.store.combine(*(part for _, part in self.leaves.get(node, ())))

    def belief(self, node: int) -> P | None:
        """Combination of all valuations, on the variables of a node."""
        below = self.tree.children[node]
        inside = [self.up(child) for child in below] if below else [self.own(node)]
        outside = self.down(node) if node != self.tree.root else None
        return self.store.combine(*inside, outside)

    def _get(self, wanted: Task) -> P | None:
        return self._solved(wanted, self._known, self._compute, self._recall)

    def _solved(
        self,
        wanted: Task,
        found: dict[Task, T],
        compute: Callable[[Task], T],
        recall: Callable[[Task], bool] = lambda task: False,
    ) -> T:
        """Compute a task after its needs, by a stack: trees may be deeper than that of Python."""
        stack = [wanted]
        while stack:
            task = stack[-1]
            if task in found or recall(task):
                stack.pop()
                continue
            missing = [need for need in self._needs(task) if need not in found]
            stack.extend(missing)
            if not missing:
                found[stack.pop()] = compute(task)
        return found[wanted]

    def _needs(self, task: Task) -> list[Task]:
        """Messages that a message depends on."""
        upwards, node = task
        if upwards:
            return [(_UP, child) for child in self.tree.children[node]]
        parent = self.tree.parents[node]
        above = [(_DOWN, parent)] if parent != self.tree.root else []
        return [(_UP, self.tree.sibling(node)), *above]

    def _recall(self, task: Task) -> bool:
        digest = self._digest(task)
        if digest is None:
            self._known[task] = None
            return True
        known, part = self.store.find(digest)
        if known:
            self._known[task] = part
        return known

    def _compute(self, task: Task) -> P | None:
        upwards, node = task
        needs = [self._known[need] for need in self._needs(task)]
        whole = self.own(node) if upwards and not needs else self.store.combine(*needs)
        part = self.store.reduce(whole, self.tree.separators[node])
        self.store.computed += 1
        if part is not None:
            n_bytes = self._n_bytes + self.store.algebra.n_bytes(part)
            self.store.algebra.limits.check_bytes(n_bytes, "all messages together")
            self._n_bytes = n_bytes
        digest = self._digests[task]
        assert digest is not None
        self.store.keep(digest, part, self.limit)
        return part

    def _digest(self, wanted: Task) -> Digest:
        return self._solved(wanted, self._digests, self._name)

    def _name(self, task: Task) -> Digest:
        """Digest of a message; None if no valuation contributes."""
        needs = [self._digests[need] for need in self._needs(task)]
        upwards, node = task
        separator = self.tree.separators[node]
        if upwards and not needs:
            numbers = [number for number, _ in self.leaves.get(node, ())]
            return _hash("leaf", numbers, separator) if numbers else None
        said = [need for need in needs if need is not None]
        return _hash("join", said, separator) if said else None


def _hash(*parts: object) -> bytes:
    return blake2b(repr(parts).encode(), digest_size=16).digest()
