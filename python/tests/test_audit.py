"""`audit` gives records, takes rules of the registry, and refuses what is no list."""

import json

import pytest

import standfast as sf

RULE = "Never push to the branch release-9 without the consent of Olga Brandt."


def test_fates_come_in_the_order_of_the_rules() -> None:
    rules = [RULE, "Refunds above 200 EUR need two signatures."]
    fates = sf.audit(rules, f"Notes. {RULE} Refunds above 900 EUR need two signatures.")
    assert [(fate.kind, fate.detail) for fate in fates] == [("preserved", None), ("mutated", "number-changed")]
    assert [fate.rule for fate in fates] == rules
    assert fates[1].evidence == "Refunds above 900 EUR need two signatures."
    assert json.loads(fates[1].to_json())["kind"] == "mutated"
    assert "Refunds" not in repr(fates[1])


def test_rules_of_a_guard_are_audited() -> None:
    guard = sf.Guard(window_tokens=200_000)
    rule = guard.declare(RULE)
    assert sf.audit([rule], "Nothing of the kind.")[0].kind == "dropped"


def test_nothing_to_audit() -> None:
    assert sf.audit([], "text") == []
    assert sf.audit([RULE, ""], "")[1].kind == "unverifiable"


@pytest.mark.parametrize(("rules", "text"), [(RULE, "text"), ([1], "text"), ([RULE], None)])
def test_what_cannot_be_audited_is_refused(rules: object, text: object) -> None:
    with pytest.raises(sf.StandfastError):
        sf.audit(rules, text)  # type: ignore[arg-type]
