"""Tests of the LangChain middleware. They need LangChain; its own deprecation warnings are not ours to fix."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "middleware" in item.path.parts:
            for kind in ("DeprecationWarning", "PendingDeprecationWarning"):
                item.add_marker(pytest.mark.filterwarnings(f"ignore::{kind}:(?!standfast)"))
            item.add_marker(pytest.mark.filterwarnings("ignore:.*:langchain_core._api.beta_decorator.LangChainBetaWarning"))


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """LangChain logs each error of a callback, ours included."""
    logger = logging.getLogger("langchain_core.callbacks.manager")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    yield
    logger.setLevel(level)
