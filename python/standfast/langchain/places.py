"""Whose conversation a call belongs to: the thread, and the way through the graphs to the agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from standfast._thread.ledger import Place


def place_of(runtime: Any) -> Place:
    """The place of a run. A hook is a node of its own, which is the last step of the way."""
    info = getattr(runtime, "execution_info", None)
    if info is None:
        return Place(None, "")
    return Place(info.thread_id, path_of(info.checkpoint_ns or "", leaf=True))


def place_of_config(config: Mapping[str, Any]) -> Place:
    """The place that a config names, of an agent rather than of one of its nodes."""
    configurable = config.get("configurable") or {}
    thread = configurable.get("thread_id")
    return Place(None if thread is None else str(thread), path_of(str(configurable.get("checkpoint_ns") or ""), leaf=False))


def path_of(namespace: str, *, leaf: bool) -> str:
    """The names of a checkpoint namespace, without the ids of the tasks, which differ from run to run."""
    names = [step.partition(":")[0] for step in namespace.split("|") if step and not step.isdigit()]
    return "/".join(names[:-1] if leaf else names)
