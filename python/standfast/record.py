"""What all records share: they read and write the wire form, and hide texts in `repr`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, TypeVar

_R = TypeVar("_R", bound="Record")
Span = tuple[int, int]


class Record:
    """Base of the records: reads and writes the wire form, hides texts in `repr`."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]]
    _texts: ClassVar[tuple[str, ...]] = ()
    _nested: ClassVar[Mapping[str, type[Record]]] = {}

    @classmethod
    def of(cls: type[_R], wire: Mapping[str, Any]) -> _R:
        """The record of a wire form. Fields that this version does not know are left out."""
        return cls(**{name: read(wire[name], cls._nested.get(name)) for name in cls.__match_args__})

    def to_wire(self) -> dict[str, Any]:
        """The wire form as plain data."""
        return {name: _write(getattr(self, name)) for name in self.__match_args__}

    def to_json(self) -> str:
        """The stored form."""
        return json.dumps(self.to_wire(), ensure_ascii=False, separators=(",", ":"))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._shown())})"

    def _shown(self) -> Iterator[str]:
        for name in self.__match_args__:
            value = getattr(self, name)
            if name not in self._texts or value is None:
                yield f"{name}={value!r}"
            else:
                yield f"{name}=<{len(value)} {'characters' if isinstance(value, str) else 'items'}>"


def read(value: Any, kind: type[Record] | None) -> Any:
    """A value of the wire form."""
    if isinstance(value, list):
        return tuple(read(item, kind) for item in value)
    return kind.of(value) if kind is not None and value is not None else value


def _write(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_wire()
    return [_write(item) for item in value] if isinstance(value, tuple) else value
