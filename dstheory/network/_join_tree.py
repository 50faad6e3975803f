"""Binary join trees: where valuations are combined, and what is passed on.

Variables are eliminated one after the other. All valuations on the variable are combined in pairs,
the pair with the smallest union first, and the variable is dropped. The record of this is a tree in
which the nodes of each variable are connected and each node has at most three neighbors, so each
message costs one combination. Shenoy, P. P. (1997), Binary join trees for computing marginals in
the Shenoy-Shafer architecture, IJAR 17, 239-263.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

Scope = tuple[int, ...]


@dataclass(frozen=True)
class JoinTree:
    """A rooted binary tree: leaves carry valuations, inner nodes combine two children.

    `scopes[n]` are the variables of node n, `separators[n]` those that it passes on to `parents[n]`
    (-1 above the root), `children[n]` is () for a leaf. `leaves` maps scopes to leaves; every
    variable has its own leaf, which takes the evidence about it alone.
    """

    scopes: tuple[Scope, ...]
    separators: tuple[Scope, ...]
    children: tuple[tuple[int, ...], ...]
    parents: tuple[int, ...]
    leaves: dict[Scope, int]
    root: int
    order: tuple[int, ...]

    def bottom_up(self) -> list[int]:
        """All nodes, children before parents."""
        found, stack = [], [self.root]
        while stack:
            node = stack.pop()
            found.append(node)
            stack.extend(self.children[node])
        return found[::-1]

    def sibling(self, node: int) -> int:
        """The other child of the parent."""
        first, second = self.children[self.parents[node]]
        return second if first == node else first

    def home(self, scope: Collection[int]) -> int | None:
        """The smallest node that contains all variables of a scope, if there is one."""
        wanted = set(scope)
        if tuple(sorted(wanted)) in self.leaves:
            return self.leaves[tuple(sorted(wanted))]
        fits = [n for n, own in enumerate(self.scopes) if wanted <= set(own)]
        return min(fits, key=lambda n: (len(self.scopes[n]), n), default=None)

    def graft(self, scope: Scope) -> "JoinTree | None":
        """The tree with one more leaf next to its home, None if no node contains the scope.

        All other nodes keep their positions, and messages below the new leaf keep their values.
        """
        host = self.home(scope)
        if host is None:
            return None
        leaf, joint = len(self.scopes), len(self.scopes) + 1
        parent = self.parents[host]
        children = [*self.children, (), (host, leaf)]
        separators = [*self.separators, scope, self.separators[host]]
        separators[host] = self.scopes[host]  # its variables are dropped one step later
        parents = [*self.parents, joint, parent]
        parents[host] = joint
        if parent >= 0:
            children[parent] = tuple(joint if c == host else c for c in children[parent])
        return replace(
            self,
            scopes=(*self.scopes, scope, self.scopes[host]),
            separators=tuple(separators),
            children=tuple(children),
            parents=tuple(parents),
            leaves={**self.leaves, scope: leaf},
            root=joint if parent < 0 else self.root,
        )

    def edges(self) -> Iterator[tuple[int, int]]:
        """All (child, parent)."""
        return ((n, p) for n, p in enumerate(self.parents) if p >= 0)


class _Builder:
    """A tree under construction."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = sizes
        self.scopes: list[frozenset[int]] = []
        self.separators: list[frozenset[int]] = []
        self.children: list[tuple[int, ...]] = []

    def add(self, scope: frozenset[int], children: tuple[int, ...] = ()) -> int:
        self.scopes.append(scope)
        self.separators.append(scope)
        self.children.append(children)
        return len(self.scopes) - 1

    def rank(self, scope: frozenset[int]) -> int:
        return math.prod(self.sizes[v] for v in scope)

    def join_all(self, items: list[int]) -> int:
        """Join nodes into one: each time the smallest, with the partner that makes it grow least.

        New nodes queue at the end of their rank, which keeps the tree shallow if many scopes are
        equal, as below the root of a star.
        """
        queue = sorted(items, key=lambda n: (self.rank(self.separators[n]), n))
        while len(queue) > 1:
            one = queue.pop(0)
            place = self._partner(one, queue)
            two = queue.pop(place)
            joint = self.add(self.separators[one] | self.separators[two], (one, two))
            rank = self.rank(self.separators[joint])
            after = (i for i, n in enumerate(queue) if self.rank(self.separators[n]) > rank)
            queue.insert(next(after, len(queue)), joint)
        return queue[0]

    def _partner(self, one: int, queue: list[int]) -> int:
        own = self.separators[one]
        best, best_rank = 0, math.inf
        for place, other in enumerate(queue):
            union = own | self.separators[other]
            rank = self.rank(union)
            if rank < best_rank:
                best, best_rank = place, rank
            if union == own:  # no growth at all
                break
        return best

    def finished(self, root: int, order: tuple[int, ...]) -> JoinTree:
        parents = [-1] * len(self.scopes)
        for node, children in enumerate(self.children):
            for child in children:
                parents[child] = node
        scopes = tuple(tuple(sorted(scope)) for scope in self.scopes)
        return JoinTree(
            scopes=scopes,
            separators=tuple(tuple(sorted(scope)) for scope in self.separators),
            children=tuple(self.children),
            parents=tuple(parents),
            leaves={scopes[n]: n for n, kids in enumerate(self.children) if not kids},
            root=root,
            order=order,
        )


def binary_join_tree(
    scopes: Iterable[Scope], sizes: Sequence[int], order: tuple[int, ...]
) -> JoinTree:
    """The tree of an elimination order; every variable and every scope has its own leaf.

    Disconnected parts meet in nodes without variables, so that there is one tree.

    >>> tree = binary_join_tree([(0, 1), (1, 2)], [2, 2, 2], (0, 1, 2))
    >>> [scope for scope, children in zip(tree.scopes, tree.children) if children]
    [(0, 1), (1,), (1, 2), (2,)]
    """
    builder = _Builder(sizes)
    alone = (frozenset([v]) for v in range(len(sizes)))
    waiting = [builder.add(scope) for scope in dict.fromkeys([*alone, *map(frozenset, scopes)])]
    holders: dict[int, set[int]] = {v: set() for v in range(len(sizes))}
    for node in waiting:
        for v in builder.scopes[node]:
            holders[v].add(node)
    closed = [node for node in waiting if not builder.scopes[node]]
    for variable in order:
        items = sorted(holders.pop(variable))
        for node in items:
            for v in builder.separators[node] - {variable}:
                holders[v].discard(node)
        top = builder.join_all(items)
        builder.separators[top] -= {variable}
        for v in builder.separators[top]:
            holders[v].add(top)
        if not builder.separators[top]:
            closed.append(top)
    return builder.finished(builder.join_all(closed), order)
