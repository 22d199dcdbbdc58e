"""What may be in a message and what becomes of it on the way to the engine."""

from __future__ import annotations

import collections
import enum
import types
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import standfast as sf
from standfast._core import stored_message


def digest(value: Any) -> str:
    return stored_message(value)[0]


def stored(value: Any) -> str:
    return stored_message(value)[1]


def code_of(value: Any) -> str:
    with pytest.raises(sf.StandfastError) as caught:
        stored_message(value)
    return caught.value.code


class Word(str, enum.Enum):
    USER = "user"


class Level(enum.IntEnum):
    HIGH = 2**60


class Lazy(Mapping[str, Any]):
    def __init__(self, **entries: Any) -> None:
        self.entries = entries

    def __getitem__(self, key: str) -> Any:
        return self.entries[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


class Broken(Lazy):
    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("canary-7f3a")


class Interrupting(Lazy):
    def __getitem__(self, key: str) -> Any:
        raise KeyboardInterrupt


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf"), 1e999])
def test_numbers_that_json_has_not(number: float) -> None:
    assert code_of({"a": [number]}) == "invalid_number"


def test_large_integers_are_decimal_text() -> None:
    assert stored([2**53, -(2**53), 2**53 + 1, -(2**63) - 1, 10**40]) == (f'[{2**53},{-(2**53)},"{2**53 + 1}","{-(2**63) - 1}","{10**40}"]')
    assert digest(2**53 + 1) == digest(str(2**53 + 1))
    assert stored(Level.HIGH) == f'"{2**60}"'
    assert code_of(10**5_000) == "invalid_number"


def test_equal_numbers_have_one_digest() -> None:
    assert digest({"a": 1.0, "b": -0.0}) == digest({"b": 0, "a": 1})
    assert digest(1) != digest(True)
    assert digest(0.1) != digest(0.2)


def test_order_of_keys_does_not_matter() -> None:
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})


def test_subclasses_and_mappings_are_read() -> None:
    plain = {"role": "user", "content": "x"}
    assert digest(Lazy(role=Word.USER, content="x")) == digest(plain)
    assert digest(types.MappingProxyType(plain)) == digest(plain)
    assert digest(collections.OrderedDict(plain)) == digest(plain)
    assert digest([1, 2]) == digest((1, 2))


@pytest.mark.parametrize(
    ("value", "name"),
    [(b"x", "bytes"), (bytearray(b"x"), "bytearray"), ({1}, "set"), (1j, "complex"), (object(), "object"), (range(3), "range")],
)
def test_other_types_are_named(value: Any, name: str) -> None:
    with pytest.raises(sf.PolicyError, match=f"`{name}`") as caught:
        stored_message({"content": [value]})
    assert caught.value.code == "invalid_argument"


def test_keys_are_text() -> None:
    assert code_of({1: "x"}) == "invalid_argument"
    assert code_of({None: "x"}) == "invalid_argument"


def nested(depth: int, kind: type) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value] if kind is list else {"a": value}
    return value


@pytest.mark.parametrize("kind", [list, dict])
def test_depth_is_bounded_before_recursing(kind: type) -> None:
    stored_message(nested(128, kind))
    assert code_of(nested(129, kind)) == "too_deep"
    assert code_of(nested(10_000, kind)) == "too_deep"


def test_a_cycle_is_too_deep() -> None:
    value: list[Any] = []
    value.append(value)
    assert code_of(value) == "too_deep"


def test_deep_messages_are_refused_by_the_guard() -> None:
    guard = sf.Guard(window_tokens=20_000)
    deep = {"role": "user", "content": nested(10_000, list)}
    for call in (lambda: guard.observe(deep), lambda: guard.sync([deep]), lambda: guard.assert_window([deep])):
        with pytest.raises(sf.PolicyError) as caught:
            call()
        assert caught.value.code == "too_deep"


def test_a_mapping_that_fails_is_an_argument_error_without_its_text() -> None:
    with pytest.raises(sf.PolicyError) as caught:
        stored_message(Broken(a=1))
    assert "canary" not in str(caught.value)
    with pytest.raises(KeyboardInterrupt):
        stored_message(Interrupting(a=1))


def test_lone_surrogates_become_a_mark_and_a_flag() -> None:
    guard = sf.Guard(window_tokens=20_000)
    observed = guard.observe({"role": "user", "content": "a\ud800b\udfffc"})
    assert "replaced_surrogates" in observed.flags
    assert guard.recall(span=(0, 0))[0].text == "a\ufffdb\ufffdc"
    assert not guard.observe({"role": "user", "content": "a\U0001f600b"}).flags


def test_a_pair_of_surrogates_is_its_character() -> None:
    assert digest("\ud83d\ude00") == digest("\U0001f600")
    assert digest("\ud83d") == digest("\ufffd")


@pytest.mark.parametrize("text", ["a\x00b", "a\r\nb", "\u202eabc", "a\u200bb", "\ufeffa"])
def test_odd_characters_pass_unchanged(text: str) -> None:
    guard = sf.Guard(window_tokens=20_000)
    message = {"role": "user", "content": text}
    guard.observe(message)
    assert guard.window().messages[-1] is message
    assert guard.recall(span=(0, 0))[0].text == text


def test_a_message_of_20_mb() -> None:
    guard = sf.Guard(window_tokens=20_000_000)
    text = "All is well with this batch of rows. " * 560_000
    message = {"role": "user", "content": text}
    assert len(text) > 20_000_000
    assert guard.observe(message).tokens > 1_000_000
    assert guard.window().messages[-1] is message
