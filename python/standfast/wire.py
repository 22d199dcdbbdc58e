"""The wire types, for type checkers. Made by tests/types/generate.py from the Rust types; do not edit."""

from typing import Any, Literal, TypedDict, final

Asked = Literal["requested", "overflow"]
"""A compaction the host calls for."""

BoundaryName = Literal["none", "task_completed", "tool_phase_change", "subgoal_closed", "plan_revised", "turn_closed", "cache_cold"]
"""A semantic seam of the run."""

ClaimFault = Literal["unanchored", "forged"]
"""Why a claim does not hold."""

ClaimKind = Literal["approval", "waiver", "rescission", "new_rule", "identity", "done", "wish"]
"""What a sentence claims."""

CompactMode = Literal["safe", "over_budget", "rank", "paper"]
"""What is done where the rules alone do not fit."""

DecisionFault = Literal["flipped", "reason_lost", "reason_changed", "dropped"]
"""What happened to a decision."""

Deontic = Literal["none", "prohibit", "require", "limit", "permit"]
"""How an item binds, whatever its type."""

DifferenceKind = Literal["identifier", "decision", "rule"]
"""What two summaries differ in."""

FateKind = Literal["preserved", "paraphrased", "weakened", "mutated", "contradicted", "dropped", "unverifiable"]
"""What happened to a rule, from best to worst."""

How = Literal["reuse", "summarize", "extract", "line", "foreign"]
"""How a planned segment comes about."""

Idempotence = Literal["off", "sample", "always"]
"""Whether spans are summarized twice, to see whether both say the same."""

IdentifierFault = Literal["changed", "invented", "missing"]
"""What is wrong with an identifier."""

ItemForm = Literal["verbatim", "shortened", "merged", "dropped"]
"""How much of an item stands in a compacted text."""

ItemKind = Literal["paragraph", "item", "step", "row", "fence", "quote"]
"""What an item of a document is."""

Knowledge = Literal["constraint", "procedural", "belief", "preference", "episodic"]
"""What kind of knowledge an item is, and with that how much of it a compaction may change."""

Loosening = Literal["apply", "ask"]
"""What comes of a user's own words that loosen one of the user's own promoted rules (R7)."""

Method = Literal["none", "model", "extractive", "mixed"]
"""How the new summaries came about."""

OnDegraded = Literal["continue", "refuse"]
"""What to do when the originals of a span that should be summarized anew are gone."""

OnFinding = Literal["repair", "refuse", "report"]
"""What is done about the findings of a check."""

OperatingPoint = Literal["strict", "balanced", "lean"]
"""How much a missed rule costs beside a false one."""

Origin = Literal["model", "extractive", "mixed", "line", "foreign"]
"""How a segment's text came about."""

Outcome = Literal["continue", "rendered", "compacted", "nothing_to_do", "invariant_lost"]
"""What came of a decision."""

PairFault = Literal["result_without_call", "call_without_result"]
"""How a call and its result were parted."""

Polarity = Literal["accepted", "rejected", "deferred"]
"""What became of a proposal."""

Presence = Literal["here", "paged_out", "source_removed", "replayed", "missing", "forgotten"]
"""Where an event's text is."""

Role = Literal["system", "developer", "user", "assistant", "tool"]
"""The role a message has in its shape."""

SessionFormat = Literal["messages", "claude_code", "codex"]
"""What kind of file it is."""

Shape = Literal["openai", "anthropic", "ai_sdk", "responses", "gemini"]
"""A provider's message format."""

Status = Literal["declared", "promoted", "overflow", "superseded", "revoked", "rejected"]
"""Authority of a T0 item. *Active* is declared or promoted."""

Tier = Literal["invariant", "task_state", "episodic", "discardable"]
"""Retention of an item in a compacted window."""

Trust = Literal["external", "agent", "user", "operator"]
"""`operator` > `user` > `agent` > `external`. The derived order is the order of authority."""


@final
class Alarm(TypedDict):
    """Something a person should know."""

    detail: str
    kind: str
    severity: str


@final
class AuditCounts(TypedDict):
    """How much of what there is. Rules are counted by fate, findings by fault."""

    contradicted: int
    decisions: int
    dropped: int
    forged: int
    messages_after: int
    messages_before: int
    mutated: int
    paraphrased: int
    preserved: int
    role_lowered: int
    rules: int
    rules_kept: int
    rules_unread: int
    tokens_after: int
    tokens_before: int
    unanchored: int
    unverifiable: int
    weakened: int


@final
class AuditPlace(TypedDict):
    """Where something stands in a list of messages."""

    index: int | None
    role: Role


@final
class NewText(TypedDict):
    """New text of `after`: a summary, a note, a changed prompt."""

    place: AuditPlace
    tokens: int


@final
class AuditCoverage(TypedDict):
    """What became of the messages. Spans are the first and the last index in `before`."""

    changed: list[tuple[int, int]]
    gone: list[tuple[int, int]]
    kept: list[tuple[int, int]]
    new: list[NewText]


@final
class ClaimFinding(TypedDict):
    """A sentence that claims something on nobody's authority."""

    claim: ClaimKind
    evidence: str
    fault: ClaimFault
    place: AuditPlace | None
    source: int | None


@final
class DecisionFinding(TypedDict):
    """A decision that did not come through as it was made."""

    decision: str
    evidence: str
    fault: DecisionFault
    place: AuditPlace | None
    polarity: Polarity
    reason: str


@final
class RuleFate(TypedDict):
    """One rule and what the compaction did to it."""

    detail: str | None
    evidence: str
    fingerprint: str
    found: AuditPlace | None
    kept: bool
    kind: FateKind
    place: AuditPlace | None
    rule: str
    survives: list[Role]
    trust: Trust | None


@final
class IdentifierFinding(TypedDict):
    """An identifier, number or date that did not come through."""

    evidence: str
    fault: IdentifierFault
    origins: list[str]
    place: AuditPlace | None
    text: str


@final
class PairFinding(TypedDict):
    """A call or a result that stands alone in `after` and did not in `before`."""

    fault: PairFault
    id: str
    index: int


@final
class AuditReport(TypedDict):
    """What a compaction did to everything that must come through it."""

    claims: list[ClaimFinding]
    counts: AuditCounts
    coverage: AuditCoverage
    decisions: list[DecisionFinding]
    fates: list[RuleFate]
    identifiers: list[IdentifierFinding]
    ok: bool
    pairs: list[PairFinding]


@final
class Base(TypedDict):
    """What a plan was made from."""

    chain: str
    ledger: str
    policy: str


@final
class Change(TypedDict):
    """One change of a rule, for the audit trail (R9)."""

    action: str
    by: str
    fingerprint: str
    source: str
    turn: int


@final
class ItemOutcome(TypedDict):
    """One item of a knowledge base and what became of it."""

    form: ItemForm
    index: int
    knowledge: Knowledge
    line: int
    p_constraint: int
    text: str


@final
class Unsafe(TypedDict):
    """Why no safe result is possible: the rules alone are over the budget."""

    deficit: int
    items: list[ItemOutcome]
    lost: int
    parts: int
    required: int


@final
class Compacted(TypedDict):
    """What a compaction made of a knowledge base."""

    budget: int
    dropped: list[ItemOutcome]
    kept: list[ItemOutcome]
    ok: bool
    size: int
    text: str | None
    unsafe: Unsafe | None


@final
class Scores(TypedDict):
    """One number for each knowledge type."""

    belief: int
    constraint: int
    episodic: int
    preference: int
    procedural: int


@final
class Contribution(TypedDict):
    """What one feature of a text adds to the scores."""

    evidence: str
    name: str
    scores: Scores


@final
class Decision(TypedDict):
    """A decision with its reason."""

    polarity: Polarity
    trust: Trust
    turn: int
    what: str
    why: str


@final
class KnowledgePart(TypedDict):
    """One part of a knowledge base."""

    copies: list[int]
    items: list[int]
    size: int
    text: str


@final
class PartTooLarge(TypedDict):
    """Why there are no such parts."""

    deficit: int
    item: int | None
    required: int


@final
class Decomposition(TypedDict):
    """A knowledge base in parts."""

    ok: bool
    overhead: float
    overhead_copied: float
    parts: list[KnowledgePart]
    preamble: str
    preamble_items: list[int]
    preamble_size: int
    unsafe: PartTooLarge | None


@final
class Difference(TypedDict):
    """Something that one of two summaries has and the other has not."""

    in_first: bool
    text: str
    what: DifferenceKind


@final
class Survival(TypedDict):
    """What is left after a round."""

    decisions: int
    identifiers: int
    lost: list[str]
    novel: list[str]
    reasons: int
    thinner: bool
    tokens: int


@final
class DriftReport(TypedDict):
    """What is left of identifiers and decisions after each round of compaction."""

    decisions: int
    identifiers: int
    rounds: list[Survival]


@final
class Entry(TypedDict):
    """A text of the task state and who gave it."""

    text: str
    trust: Trust
    turn: int


@final
class Evidence(TypedDict):
    """What a check found in a summary, with the sentence it is about. Kept until the next commit, never stored nor exported."""

    about: str
    kind: str
    repair: str
    text: str


@final
class Explanation(TypedDict):
    """Why an item has its type."""

    contributions: list[Contribution]
    knowledge: Knowledge
    p_constraint: int
    scores: Scores


@final
class Fate(TypedDict):
    """One rule's fate in a text."""

    detail: str | None
    evidence: str
    kind: FateKind
    message: str
    rule: str


@final
class Finding(TypedDict):
    """Something a check found, and what was done about it."""

    about: str
    count: int
    kind: str
    repair: str


@final
class FoundItem(TypedDict):
    """An item that was found."""

    heading_path: list[str]
    in_scope: bool
    index: int
    knowledge: Knowledge
    line: int
    source: str
    text: str


class _Given(TypedDict):
    text: str


@final
class Given(_Given, total=False):
    """A text to be typed, and what stands around it."""

    heading_path: list[str]
    kind: str | None
    lead_in: str | None


@final
class Held(TypedDict):
    """Rule-shaped external text, kept as data without authority (R11)."""

    count: int
    digest: str
    fingerprint: str
    restricts: bool
    seq: int
    source: str
    text: str
    turn: int


@final
class Item(TypedDict):
    """A text with its knowledge type."""

    confidence: int
    declared: bool
    heading_path: list[str]
    kind: ItemKind
    knowledge: Knowledge
    lead_in: str | None
    line: int
    p_constraint: int
    polarity: Deontic
    scope: list[str]
    source: str
    suspected: bool
    text: str
    tier: Tier
    trust: Trust


@final
class Need(TypedDict):
    """An original that is not here and that a segment is to be summarized anew from."""

    digest: str | None
    seq: int


@final
class Observed(TypedDict):
    """What came of an observed message."""

    flags: list[str]
    held: int
    promoted: list[str]
    seq: int
    tokens: int


@final
class Request(TypedDict):
    """One text to summarize. `prompt` is ready to be sent to a model; `text` is what it is about."""

    budget_tokens: int
    id: str
    prompt: str
    repeats: str | None
    span: tuple[int, int]
    text: str


Planned = TypedDict("Planned", {
    "budget_tokens": int,
    "from": int,
    "how": How,
    "level": int,
    "remade": bool,
    "requests": list[str],
    "to": int,
})
"""One segment of the ledger after the commit."""


@final
class Plan(TypedDict):
    """A compaction that has not happened yet."""

    base: Base
    cut: int
    head: int
    id: str
    items: dict[str, int]
    kept: list[int]
    needs: list[Need]
    reason: str
    requests: list[Request]
    rules: list[str]
    segments: list[Planned]
    shortened: list[tuple[int, int]]
    tail_over_budget: bool
    version: int


@final
class Policy(TypedDict, total=False):
    """A guard's policy. Sizes are tokens; `null` fields are derived from the window."""

    checks: dict[str, OnFinding]
    dead_call_events: int
    enabled: bool
    held_tokens: int | None
    idempotence: Idempotence
    image_tokens: int
    loosening: Loosening
    max_tool_result_tokens: int | None
    min_freed_fraction: float
    on_degraded: OnDegraded
    pattern: str | None
    pinned_tokens: int | None
    promoted_max_tokens: int
    promoted_tokens: int
    quality_fraction: float
    segments_tokens: int | None
    soft_floor_fraction: float
    summarizer_window_tokens: int | None
    summary_tokens: int | None
    tail_tokens: int | None
    task_state_tokens: int | None
    tested_rounds: int
    trusted_sources: dict[str, Trust]
    window_tokens: int | None


@final
class Question(TypedDict):
    """A question nobody has answered yet."""

    id: str
    text: str
    trust: Trust
    turn: int


@final
class Recalled(TypedDict):
    """An event as recalled. Text of rules no longer in force stands as a marker (R8)."""

    digest: str
    presence: Presence
    role: Role
    seq: int
    source: str
    text: str | None
    trust: Trust
    turn: int


@final
class RuleCounts(TypedDict):
    """Rules by status."""

    declared: int
    held: int
    overflow: int
    promoted: int


@final
class SegmentCounts(TypedDict):
    """Segments by what the compaction did with them."""

    new: int
    remade: int
    reused: int


@final
class Receipt(TypedDict):
    """The record of one decision. All fields are in every receipt; sizes are estimated tokens."""

    alarms: list[Alarm]
    covered: list[tuple[int, int]]
    degraded: list[tuple[int, int]]
    findings: list[Finding]
    items: dict[str, int]
    messages_in: int
    messages_out: int
    method: Method
    outcome: Outcome
    pinned_digest: str
    reason: str
    round: int
    rules: RuleCounts
    segments: SegmentCounts
    shortened: list[tuple[int, int]]
    stable_prefix_tokens: int
    tokens_in: int
    tokens_out: int
    turn_index: int
    undeclared: dict[str, int]


@final
class RestoreVerdict(TypedDict):
    """How a snapshot fits the host's list."""

    first_divergence: int | None
    flags: list[str]
    outcome: str
    seqs: list[int]
    void: list[tuple[int, int]]


@final
class Retrieved(TypedDict):
    """What a query found."""

    items: list[FoundItem]
    ok: bool
    overflow: list[FoundItem]


@final
class Review(TypedDict):
    """Something for a person to decide: a held text, an overflow, a look-alike, a change of a rule."""

    about: str | None
    handle: str
    kind: str
    source: str
    text: str
    trust: Trust
    turn: int


@final
class Rule(TypedDict):
    """A rule of the registry."""

    digest: str
    fingerprint: str
    inherited: bool
    lookalike_of: str | None
    pinned: bool
    principal: str | None
    reason: str | None
    replaced_by: str | None
    scope: str | None
    seqs: list[int]
    sources: list[str]
    status: Status
    text: str
    trust: Trust
    turn: int


@final
class RulesDiff(TypedDict):
    """What a load of a source's rules changed (R10)."""

    declared: list[str]
    kept: list[str]
    revoked: list[str]


@final
class SegmentView(TypedDict):
    """A segment as shown to callers."""

    degraded: bool
    id: str
    level: int
    origin: Origin
    span: tuple[int, int]
    text: str
    tokens: int
    trust: Trust
    turns: tuple[int, int]


@final
class SessionCompaction(TypedDict):
    """A compaction that a session file tells of."""

    after: list[Any]
    at: int
    sealed: bool
    trigger: str | None


@final
class Session(TypedDict):
    """A file of messages."""

    compactions: list[SessionCompaction]
    format: SessionFormat
    messages: list[Any]
    system: Any
    unread: int


@final
class SessionRound(TypedDict):
    """One compaction of a session."""

    at: int
    report: AuditReport
    sealed: bool
    trigger: str | None


@final
class SessionRule(TypedDict):
    """A rule and how it fared."""

    detail: str | None
    evidence: str
    fingerprint: str
    found: AuditPlace | None
    kind: FateKind
    lost: int | None
    rule: str
    since: int | None
    trust: Trust | None


@final
class SessionReport(TypedDict):
    """What the compactions of a session did."""

    format: SessionFormat
    judged: int
    lost: int
    messages: int
    ok: bool
    rounds: list[SessionRound]
    rules: list[SessionRule]
    unread: int


@final
class SlotHost(TypedDict):
    """The host's own message of this event, untouched."""

    host: int


@final
class SlotOwn(TypedDict):
    """A message of ours, in the host's shape."""

    own: Any

Slot = SlotHost | SlotOwn
"""One message of a window."""


class _Summary(TypedDict):
    text: str


@final
class Summary(_Summary, total=False):
    """A summary as the host gives it back."""

    finish_reason: str | None


@final
class Synced(TypedDict):
    """What the host's list changed."""

    appended: int
    edited: int
    first_divergence: int | None
    observed: list[Observed]
    removed: int
    seqs: list[int]


@final
class TaskState(TypedDict):
    """Goal, plan, decisions and open questions."""

    decisions: list[Decision]
    goal: Entry | None
    opened: int
    plan: list[Entry]
    questions: list[Question]


@final
class Verdict(TypedDict):
    """The answer to "should this window be compacted now?"."""

    compact: bool
    reason: str
    threshold: int
    used: int


@final
class Window(TypedDict):
    """A window as the engine gives it; bindings put the host's objects in."""

    pinned: str
    receipt: Receipt
    slots: list[Slot]
    system: Any
