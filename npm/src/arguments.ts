// Arguments of the guard's methods, checked and turned into what the engine takes.

import { fault, type Stored } from "./engine.js";
import { list, optionText, optionalText, record, take, text, type Plain } from "./input.js";
import type { ChangeOptions, ObserveOptions, SourceOptions } from "./options.js";
import type { LogStore } from "./store.js";

export function checkedStore(store: unknown): LogStore | undefined {
  if (store === undefined || store === null) return undefined;
  const { getMany, putMany } = store as Partial<LogStore>;
  if (typeof getMany !== "function" || typeof putMany !== "function") throw fault("invalid_argument", "`store` must have `getMany` and `putMany`");
  return store as LogStore;
}

export function takeAll(messages: readonly unknown[], from: number): { copies: Plain[]; replaced: boolean } {
  list("messages", messages);
  const copies: Plain[] = [];
  let replaced = false;
  for (let i = from; i < messages.length; i++) {
    const taken = take(messages[i]);
    copies.push(taken.copy);
    replaced ||= taken.replaced;
  }
  return { copies, replaced };
}

export function observeText(options: ObserveOptions | undefined, replaced: boolean): string | undefined {
  return replaced ? optionText("options", { ...record("options", options), replacedSurrogates: true }) : optionText("options", options);
}

export function planText(plan: unknown): string {
  if (typeof plan === "string") return plan;
  const { toJson } = record("plan", plan) as Partial<Stored>;
  return typeof toJson === "function" ? toJson.call(plan) : JSON.stringify(take(plan).copy);
}

export function change(options: ChangeOptions): { by: string; source: string } {
  const { by, source = "policy_loader" } = record("options", options);
  return { by: text("by", by), source: text("source", source) };
}

/** The source, where one is given. */
export function sourceOf(options: SourceOptions | undefined): [] | [string] {
  const source = optionalText("source", record("options", options)["source"]);
  return source === undefined ? [] : [source];
}

export function checkSummarizer(summarizer: unknown): void {
  if (typeof summarizer !== "function") throw fault("invalid_argument", "`summarizer` must be a function");
}

export function keyBytes(key: unknown): Uint8Array | undefined {
  // what `restore` could not take is not taken here
  const given = keyText(key ?? undefined);
  return given === undefined ? undefined : new TextEncoder().encode(given);
}

export function keyText(key: unknown): string | undefined {
  if (!(key instanceof Uint8Array)) return optionalText("key", key);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(key);
  } catch {
    throw fault("invalid_argument", "`key` must be UTF-8 text");
  }
}

export function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
