"""What the assertions measured, kept until the pytest plugin, or you, take it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Kind = Literal["survival", "retention", "obedience", "amplification", "structure"]


@dataclass(frozen=True)
class Result:
    """One measurement. `rates` are shares by name and by round or depth, from 1 on; `details` is for people."""

    kind: Kind
    name: str
    passed: bool
    rates: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    cliff: int | None = None
    """The first round or depth at which something was lost."""
    token_ratio: float | None = None
    """Tokens after the first compaction for each token before it."""
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_wire(self) -> dict[str, Any]:
        """Plain data."""
        return {**asdict(self), "rates": {name: list(rates) for name, rates in self.rates.items()}}

    def metrics(self) -> dict[str, float]:
        """Numbers by name, of which more is better: what a baseline is held against."""
        flat = {f"{self.kind}.{self.name}.passed": float(self.passed)}
        for name, rates in self.rates.items():
            flat |= {f"{self.kind}.{self.name}.{name}.{at}": rate for at, rate in enumerate(rates, 1)}
        return flat


_log: list[Result] = []


def note(result: Result) -> None:
    """Keeps a result."""
    _log.append(result)
    del _log[:-10_000]  # nobody may ever take them


def taken() -> list[Result]:
    """All results since the last call."""
    results = _log[:]
    _log.clear()
    return results


def share(part: float, whole: float) -> float:
    """A share, to three digits; of nothing it is all."""
    return 1.0 if whole == 0 else round(part / whole, 3)
