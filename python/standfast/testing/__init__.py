"""Regression tests of compaction: for anybody's, without standfast in what is tested.

    from standfast.testing import assert_rules_survive, destructive

    assert_rules_survive(my_compaction, rules, transcript, rounds=5)

Here are assertions on any compaction (rules after N rounds, byte stability, task state, failing closed), on facts from YAML cases
(`assert_retained`), and on whole agents over a small protocol (`assert_obeys`, `assert_no_amplification`). What does not hold
raises `CheckFailed`, an `AssertionError` with a `code`. Under pytest the plugin, which comes with the package, adds fixtures, the
markers `structural` and `behavioural`, a baseline and reports: see `standfast_pytest`. `pip install standfast[testing]`.
"""

from standfast.testing.agents import (
    AgentUnderTest,
    FunctionAgent,
    Reply,
    ToolCall,
    assert_no_amplification,
    assert_obeys,
    function_agent,
    obedient,
    responses,
)
from standfast.testing.cases import RetentionCase, Scenario, ToolCase, read_cases, read_scenarios, scenarios, shipped
from standfast.testing.errors import CheckFailed
from standfast.testing.replay import Recorded
from standfast.testing.requests import Compacted, Compaction, destructive, destructive_summarizer, filler
from standfast.testing.results import Result
from standfast.testing.retention import Missed, RetentionReport, assert_retained, retention
from standfast.testing.rounds import (
    Round,
    Survival,
    assert_byte_stable,
    assert_fails_closed,
    assert_rules_survive,
    assert_task_state_survives,
    survival,
)
from standfast.testing.structure import Structure

__all__ = [
    "AgentUnderTest",
    "CheckFailed",
    "Compacted",
    "Compaction",
    "FunctionAgent",
    "Missed",
    "Recorded",
    "Reply",
    "Result",
    "RetentionCase",
    "RetentionReport",
    "Round",
    "Scenario",
    "Structure",
    "Survival",
    "ToolCall",
    "ToolCase",
    "assert_byte_stable",
    "assert_fails_closed",
    "assert_no_amplification",
    "assert_obeys",
    "assert_retained",
    "assert_rules_survive",
    "assert_task_state_survives",
    "destructive",
    "destructive_summarizer",
    "filler",
    "function_agent",
    "obedient",
    "read_cases",
    "read_scenarios",
    "responses",
    "retention",
    "scenarios",
    "shipped",
    "survival",
]
