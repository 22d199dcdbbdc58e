"""Knowledge bases (agent configuration files, policies, memories): within a budget, in parts, and asked.

    import standfast as sf

    compacted = sf.compact_knowledge(document, ratio=0.5)
    if not compacted.ok:
        print(compacted.unsafe.required)          # the rules alone need so much

A document is read by triage; a list holds its items, whose types count as declared where they are given. `count` is any
function from a text to a number, `len` for example; without one the estimator's tokens count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from standfast import _core
from standfast.records import Record
from standfast.wire import CompactMode, ItemForm, Knowledge

Knowledgeable: TypeAlias = "str | Iterable[str | Mapping[str, Any] | Record]"
"""A document, or its items: texts, mappings with at least `text`, or items as triage gives them."""


@dataclass(frozen=True, slots=True, repr=False)
class ItemOutcome(Record):
    """One item of a knowledge base and what became of it. `text` is what it says in this form."""

    index: int
    line: int
    knowledge: Knowledge
    p_constraint: int
    form: ItemForm
    text: str
    _texts: ClassVar[tuple[str, ...]] = ("text",)


@dataclass(frozen=True, slots=True)
class Unsafe(Record):
    """Why no safe result is possible. `required` is the smallest budget that holds the rules, `items` are the rules that do not
    fit beside the others, `lost` how many rules that is likely to be, in thousandths, `parts` in how many parts a decomposition
    might hold everything."""

    required: int
    deficit: int
    items: tuple[ItemOutcome, ...]
    lost: int
    parts: int
    _nested: ClassVar[Mapping[str, type[Record]]] = {"items": ItemOutcome}


@dataclass(frozen=True, slots=True, repr=False)
class Compacted(Record):
    """A knowledge base within a budget; true where it is safe. `text` is None where it would not be and the mode refuses that.
    `kept` and `dropped` together have every item once."""

    ok: bool
    unsafe: Unsafe | None
    text: str | None
    size: int
    budget: int
    kept: tuple[ItemOutcome, ...]
    dropped: tuple[ItemOutcome, ...]
    _texts: ClassVar[tuple[str, ...]] = ("text", "kept", "dropped")
    _nested: ClassVar[Mapping[str, type[Record]]] = {"unsafe": Unsafe, "kept": ItemOutcome, "dropped": ItemOutcome}

    def __bool__(self) -> bool:
        return self.ok


@dataclass(frozen=True, slots=True, repr=False)
class KnowledgePart(Record):
    """One part, to be read behind the preamble. `items` have their place here, `copies` are rules and lead-ins of other parts."""

    text: str
    size: int
    items: tuple[int, ...]
    copies: tuple[int, ...]
    _texts: ClassVar[tuple[str, ...]] = ("text", "items", "copies")


@dataclass(frozen=True, slots=True)
class PartTooLarge(Record):
    """Why there are no such parts: `required` would do, `item` is one that does not fit beside the rules it needs."""

    required: int
    deficit: int
    item: int | None


@dataclass(frozen=True, slots=True, repr=False)
class Decomposition(Record):
    """A knowledge base in parts; true where every part has every rule it needs. `overhead` is what all texts together are over the
    whole, with the preamble stored once; in `overhead_copied` it is in every part."""

    ok: bool
    unsafe: PartTooLarge | None
    preamble: str
    preamble_size: int
    preamble_items: tuple[int, ...]
    parts: tuple[KnowledgePart, ...]
    overhead: float
    overhead_copied: float
    _texts: ClassVar[tuple[str, ...]] = ("preamble", "preamble_items")
    _nested: ClassVar[Mapping[str, type[Record]]] = {"unsafe": PartTooLarge, "parts": KnowledgePart}

    def __bool__(self) -> bool:
        return self.ok


@dataclass(frozen=True, slots=True, repr=False)
class FoundItem(Record):
    """An item that was found; `in_scope` where it is a rule for the situation."""

    index: int
    in_scope: bool
    knowledge: Knowledge
    heading_path: tuple[str, ...]
    line: int
    source: str
    text: str
    _texts: ClassVar[tuple[str, ...]] = ("heading_path", "source", "text")


@dataclass(frozen=True, slots=True)
class Retrieved(Record):
    """What a query found: rules in scope first. `overflow` has the rules in scope for which there was no room; `ok` if none."""

    ok: bool
    items: tuple[FoundItem, ...]
    overflow: tuple[FoundItem, ...]
    _nested: ClassVar[Mapping[str, type[Record]]] = {"items": FoundItem, "overflow": FoundItem}

    def __bool__(self) -> bool:
        return self.ok


def compact_knowledge(
    document_or_items: Knowledgeable,
    *,
    budget: int | None = None,
    ratio: float | None = None,
    count: Callable[[str], int] | None = None,
    mode: CompactMode = "safe",
) -> Compacted:
    """A knowledge base within a budget, in units of `count`, or within a part of its size.

    Every rule stands word for word, first; then what is worth most of the rest, in its order. Where the rules alone do not fit,
    the result is `unsafe` and has no text; with `mode="over_budget"` it has all rules, with `mode="rank"` as many likely
    rules as fit, with `mode="paper"` procedures are pinned as well.
    """
    arguments = {"items": _items(document_or_items), "budget": budget, "ratio": ratio, "mode": mode}
    return Compacted.of(_worked("compact_knowledge", arguments, count))


def decompose_knowledge(document_or_items: Knowledgeable, *, max_tokens: int, count: Callable[[str], int] | None = None) -> Decomposition:
    """A knowledge base in parts of at most `max_tokens`, in units of `count`, each read behind the shared preamble, which counts in.

    Rules that hold everywhere are the preamble, others stand in every part that has something they hold for.
    """
    return Decomposition.of(_worked("decompose_knowledge", {"items": _items(document_or_items), "max_tokens": max_tokens}, count))


class KnowledgeIndex:
    """Rules and knowledge that can be asked: `KnowledgeIndex(items).retrieve("May I refund this?")`."""

    __slots__ = ("_core",)

    def __init__(self, items: Knowledgeable) -> None:
        self._core = _core.KnowledgeIndex(_items(items))

    def retrieve(
        self,
        query: str,
        *,
        k: int = 10,
        scope: str | Sequence[str] | Mapping[str, Any] | None = None,
        vectors: tuple[Sequence[float], Sequence[Sequence[float]]] | Mapping[str, Any] | None = None,
    ) -> Retrieved:
        """The `k` best items: rules in scope, the nearest first, then what fits the query.

        `scope` is what you know of the situation: paths, tools, sections, names. `vectors` are the query's and one for each item,
        from a model of your own; the two orders are then joined.
        """
        if isinstance(vectors, tuple | list) and len(vectors) == 2:
            vectors = {"query": list(vectors[0]), "items": [list(vector) for vector in vectors[1]]}
        arguments = {"query": query, "k": k, "scope": scope, "vectors": vectors}
        return Retrieved.of(self._core.retrieve({name: value for name, value in arguments.items() if value is not None}))


def _items(given: Knowledgeable) -> Any:
    if isinstance(given, str) or not isinstance(given, Iterable):
        return given
    return [{"text": item} if isinstance(item, str) else item.to_wire() if isinstance(item, Record) else item for item in given]


def _worked(name: str, arguments: Mapping[str, Any], count: Callable[[str], int] | None) -> Any:
    work = _core.KnowledgeWork(name, {key: value for key, value in arguments.items() if value is not None})
    while count is not None and (texts := work.asks()):
        work.answer([count(text) for text in texts])
    return work.finish()
