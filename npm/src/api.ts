// Everything the package exports, whatever the entry point.

import { call, engine } from "./engine.js";
import { text as textArgument, whole } from "./input.js";

export { audit, auditCompaction, auditSession, checkAuthority, checkDecisions, checkDrift, checkIdempotence, checkIdentifiers, readSession, type AuditReport, type Side } from "./audit.js";
export { Guard } from "./guard.js";
export { KnowledgeIndex, compactKnowledge, decomposeKnowledge, type Knowledgeable, type Vectors } from "./knowledge.js";
export type {
  ChangeOptions,
  DeclareOptions,
  GuardOptions,
  ObserveOptions,
  Plan,
  RecallOptions,
  Receipt,
  RestoreOptions,
  SourceOptions,
  TaskState,
  Window,
} from "./options.js";
export type { Stored } from "./engine.js";
export { StandfastError, type Fault } from "./errors.js";
export * from "./published.js";
export { Tier } from "./published.js"; // not the wire's word of the same name
export { renderRequest, type Provider, type Requests } from "./provider.js";
export { MemoryStore, type LogStore, type Saved, type StateStore } from "./store.js";
export type { CompactOptions, CompactSyncOptions, Summarizer, Summary, SyncSummarizer } from "./cycle.js";
export { KNOWLEDGE_TYPES, classifyItems, triage, type Item, type ItemInput } from "./triage.js";
// The names above win over the wire types of the same name.
export type * from "./wire.js";

/** The estimator's tokens of a text. */
export function countTokens(text: string): number {
  return call(() => engine().countTokens(textArgument("text", text)));
}

/** The built-in extractive summary of a text: every sentence is in the source. */
export function extract(text: string, budgetTokens: number): string {
  return call(() => engine().extractText(textArgument("text", text), whole("budgetTokens", budgetTokens)));
}
