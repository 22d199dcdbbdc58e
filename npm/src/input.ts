// The strict walk over what a host hands in. It reads own enumerable properties once and makes a plain copy of them, from
// which the JSON text for the engine is written; the copy also serves `Mirror` to see what changed since the last `sync`.

import { fault } from "./engine.js";
import { StandfastError } from "./errors.js";

/** A plain copy: strings are shared with the host's value, everything else is new. */
export type Plain = string | number | boolean | null | Plain[] | { [key: string]: Plain };

/** A value as it was taken. */
export interface Taken {
  readonly copy: Plain;
  /** Whether a lone surrogate was replaced by U+FFFD. */
  readonly replaced: boolean;
}

/** Nesting that is read; the value itself is the first level. */
const MAX_DEPTH = 128;
/** Longest list that is read. */
const MAX_LENGTH = 10_000_000;
/** Integers beyond this are written as decimal text, so that every language has the same digest. */
const MAX_EXACT = 2 ** 53;

/**
 * Takes a value the host handed in.
 *
 * Throws `too_deep` (cycles too), `invalid_number` for NaN and the infinities, `too_large`, and `invalid_argument` for what
 * JSON cannot say: functions, symbols, `Map`, `Set`, `Date`, bytes, promises and the like. `undefined` is skipped in objects and
 * `null` in lists, as `JSON.stringify` does it.
 */
export function take(value: unknown): Taken {
  const state = { replaced: false };
  try {
    return { copy: walk(value, 1, state), replaced: state.replaced };
  } catch (error) {
    if (error instanceof StandfastError) throw error;
    // A getter or a proxy of the host threw. What it said may quote the message, so it is not passed on.
    throw fault("invalid_argument", "a property of the value cannot be read");
  }
}

function walk(value: unknown, depth: number, state: { replaced: boolean }): Plain {
  switch (typeof value) {
    case "string":
      if (isWellFormed(value)) return value;
      state.replaced = true;
      return toWellFormed(value);
    case "boolean":
      return value;
    case "number":
    case "bigint":
      return exact(value);
    case "object":
      break;
    default:
      throw fault("invalid_argument", `a value of type ${typeof value} is not JSON`);
  }
  if (value === null) return null;
  if (depth > MAX_DEPTH) throw fault("too_deep", `the value is nested deeper than ${MAX_DEPTH} levels or holds itself`);
  if (Array.isArray(value)) {
    if (value.length > MAX_LENGTH) throw fault("too_large", `a list holds more than ${MAX_LENGTH} entries`);
    const copy: Plain[] = [];
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      copy.push(item === undefined ? null : walk(item, depth + 1, state));
    }
    return copy;
  }
  if (!isRecord(value)) throw fault("invalid_argument", "a value is an object of a kind that JSON cannot say");
  const copy: { [key: string]: Plain } = {};
  for (const key of Object.keys(value)) {
    const item: unknown = value[key];
    if (item === undefined) continue;
    const plain = walk(item, depth + 1, state);
    let name = key;
    if (!isWellFormed(key)) {
      state.replaced = true;
      name = toWellFormed(key);
    }
    // Plain assignment to this name would set the prototype.
    if (name === "__proto__") Object.defineProperty(copy, name, { value: plain, enumerable: true, configurable: true, writable: true });
    else copy[name] = plain;
  }
  return copy;
}

/** Plain objects and instances of the host's own classes; not `Map`, `Date`, bytes, promises, errors, boxed values. */
function isRecord(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.prototype.toString.call(value) === "[object Object]";
}

/** A number as it is written. */
export function exact(value: number | bigint): number | string {
  if (typeof value === "bigint") {
    return value > BigInt(MAX_EXACT) || value < -BigInt(MAX_EXACT) ? value.toString() : Number(value);
  }
  if (Number.isSafeInteger(value)) return value;
  if (!Number.isFinite(value)) throw fault("invalid_number", "the value holds NaN or an infinity");
  return Number.isInteger(value) && Math.abs(value) > MAX_EXACT ? BigInt(value).toString() : value;
}

const native = String.prototype as { isWellFormed?: () => boolean; toWellFormed?: () => string };
const LONE = /\p{Surrogate}/u;

/** Whether a string holds no lone surrogate. */
export const isWellFormed: (text: string) => boolean =
  typeof native.isWellFormed === "function" ? (text) => native.isWellFormed!.call(text) : (text) => !LONE.test(text);

/** The string with U+FFFD for each lone surrogate. */
export const toWellFormed: (text: string) => string =
  typeof native.toWellFormed === "function"
    ? (text) => native.toWellFormed!.call(text)
    : (text) => text.replace(/\p{Surrogate}/gu, "\uFFFD");

/** An argument that must be text. */
export function text(name: string, value: unknown): string {
  if (typeof value !== "string") throw fault("invalid_argument", `\`${name}\` must be a string`);
  return value;
}

/** The text of a rule: a lone surrogate is an error, since the rule must stand exactly as it was given. */
export function ruleText(name: string, value: unknown): string {
  const rule = text(name, value);
  if (!isWellFormed(rule)) throw fault("rule_not_text", `\`${name}\` holds a lone surrogate`);
  return rule;
}

/** An argument that may be left out. */
export function optionalText(name: string, value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : text(name, value);
}

/** A list of texts, each read by `read`. */
export function texts(name: string, value: unknown, read = text): string[] {
  if (!Array.isArray(value)) throw fault("invalid_argument", `\`${name}\` must be a list of strings`);
  return Array.from(value as unknown[], (item, i) => read(`${name}[${i}]`, item));
}

/** A whole number from 0 to 2^32 - 1. */
export function whole(name: string, value: unknown): number {
  if (typeof value === "number" && !Number.isFinite(value)) throw fault("invalid_number", `\`${name}\` is not a finite number`);
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > 0xffff_ffff) {
    throw fault("invalid_argument", `\`${name}\` must be a whole number from 0 to 4294967295`);
  }
  return value;
}

/** A list argument. */
export function list(name: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw fault("invalid_argument", `\`${name}\` must be a list`);
  return value as unknown[];
}

/** An option object as a record; absent is empty. */
export function record(name: string, value: unknown): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value) || !isRecord(value)) {
    throw fault("invalid_argument", `\`${name}\` must be an object`);
  }
  return value;
}

/** The JSON text of an option object, or undefined where nothing was given. */
export function optionText(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return JSON.stringify(take(record(name, value)).copy);
}
