// The loaded wasm module and the way its errors come out. An entry point hands the module in with `use`.

import type * as Glue from "./glue.js";
import { StandfastError, type Fault } from "./errors.js";

/** What this package uses of the generated glue. */
export type Engine = Pick<typeof Glue, "Guard" | "KnowledgeIndex" | "KnowledgeWork" | "Restored" | "audited" | "countTokens" | "extractText" | "fault" | "published" | "triaged">;

let loaded: Engine | undefined;

/** Takes the module that all guards run in. */
export function use(engine: Engine): void {
  loaded = engine;
}

/** The module; before `init()` there is none. */
export function engine(): Engine {
  if (loaded === undefined) {
    throw new StandfastError("the engine is not loaded", {
      code: "not_initialized",
      className: "PolicyError",
      hint: "call `await init()` once before anything else; in Node this is not needed",
      details: {},
    });
  }
  return loaded;
}

/** Calls into the engine; what it throws becomes a `StandfastError`. */
export function call<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw translated(error);
  }
}

/** Calls into the engine and reads the JSON text it gives. */
export function json<T>(run: () => string): T {
  return JSON.parse(call(run)) as T;
}

/** An error of the engine's table, for faults found while converting. */
export function fault(code: string, message: string, options?: { cause?: unknown }): StandfastError {
  return new StandfastError(message, engine().fault(code, message) as Fault, options);
}

function translated(error: unknown): unknown {
  if (typeof error === "object" && error !== null && "className" in error && "code" in error) {
    return new StandfastError((error as unknown as Error).message, error as unknown as Fault);
  }
  // A trap: the call ended in the middle and the guard it was made on is lost. Other guards go on.
  if (typeof WebAssembly !== "undefined" && error instanceof WebAssembly.RuntimeError) {
    return fault("guard_closed", "the engine stopped inside this call");
  }
  return error;
}

/** A value that can give the text it is stored as. */
export interface Stored {
  /** The stored form: `snake_case` JSON, the same bytes in every language. */
  toJson(): string;
}

/** Reads `{"value": …, "stored": "…"}` and lets the value give its stored text. */
export function readStored<T extends object>(text: string): T & Stored {
  const { value, stored } = JSON.parse(text) as { value: T; stored: string };
  return withStored(value, stored);
}

/** Hangs the stored text on a value, out of sight of enumeration. `JSON.stringify` gives the stored form too. */
export function withStored<T extends object>(value: T, stored: string | (() => string)): T & Stored {
  const toJson = typeof stored === "string" ? () => stored : stored;
  return Object.defineProperties(value, {
    toJson: { value: toJson },
    toJSON: { value: () => JSON.parse(toJson()) as unknown },
  }) as T & Stored;
}

/** The stored form of a result: its fields in `snake_case`, in the same order. Below `data` keys are no names and stay. */
export function snake(value: unknown, data: ReadonlySet<string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => snake(item, data));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), data.has(key) ? (item as unknown) : snake(item, data)]),
  );
}
