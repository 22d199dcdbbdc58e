// Assertions on anybody's compaction and on whole agents, for Vitest, node:test and others: what does not hold throws. Works without
// standfast in what is tested.

export { assertByteStable, assertFailsClosed, assertRulesSurvive, assertTaskStateSurvives, destructive, filler, type Compacted, type Compaction, type Round, type RoundsOptions, type Survival, type TaskStateOptions } from "./testing-rounds.js";
export { SCENARIOS, assertNoAmplification, assertObeys, functionAgent, obedient, type AgentUnderTest, type Amplification, type FunctionAgentOptions, type Reply, type Scenario, type ToolCall } from "./testing-agents.js";
export { assertRetained, readCases, retention, type RetentionCase, type RetentionOptions, type RetentionReport } from "./testing-retention.js";
export { assertNotWorse, markdown, metrics, regressions, takeResults, type Regression, type Result, type ResultKind } from "./testing-report.js";
