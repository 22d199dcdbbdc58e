import { StandfastError } from "standfast";

/** A failed assertion. */
export function broken(code: string, message: string, details: Record<string, unknown>): StandfastError {
  return new StandfastError(message, { code, className: "AssertionError", hint: "see the report of the round", details });
}
