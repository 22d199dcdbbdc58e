import { exact, toWellFormed, type Plain } from "./input.js";

/**
 * What the host's list was at the last `sync`, so that an unchanged beginning is not read again.
 *
 * Strings are shared with the host, and comparing a string with itself costs nothing, so a list of 1,000 unchanged messages is
 * recognized well within a millisecond even where the host edits its objects in place.
 */
export class Mirror {
  #copies: (Plain | undefined)[] = [];

  /** How many messages at the beginning of `messages` are as they were. */
  prefix(messages: readonly unknown[]): number {
    const most = Math.min(this.#copies.length, messages.length);
    let i = 0;
    while (i < most && same(this.#copies[i], messages[i])) i++;
    return i;
  }

  /** Puts `copies` in the place of everything from index `from` on. */
  replace(from: number, copies: Plain[]): void {
    this.#copies.length = from;
    for (const copy of copies) this.#copies.push(copy);
  }

  /** Lets go of one message's copy: it counts as changed from now on. */
  forget(index: number): void {
    if (index < this.#copies.length) this.#copies[index] = undefined;
  }
}

/** Whether taking `value` again would give `copy`. Errors of the walk count as a change, which will report them. */
function same(copy: Plain | undefined, value: unknown): boolean {
  if (copy === value) return true;
  switch (typeof value) {
    case "string":
      return typeof copy === "string" && copy.length === value.length && copy === toWellFormed(value);
    case "bigint":
      return copy === exact(value);
    case "number":
      return Number.isFinite(value) && copy === exact(value);
    case "object":
      break;
    default:
      return false;
  }
  if (value === null || typeof copy !== "object" || copy === null) return false;
  if (Array.isArray(value)) {
    if (!Array.isArray(copy) || copy.length !== value.length) return false;
    for (let i = 0; i < copy.length; i++) {
      const item: unknown = value[i];
      if (!same(copy[i], item === undefined ? null : item)) return false;
    }
    return true;
  }
  if (Array.isArray(copy)) return false;
  let left = 0;
  for (const _ in copy) left++;
  for (const key in value) {
    const item: unknown = (value as Record<string, unknown>)[key];
    if (item === undefined) continue;
    // Inherited names are not read: neither from the host's object nor from ours.
    if (!Object.hasOwn(value, key)) continue;
    const mine = copy[key];
    if (mine === undefined || !same(mine, item)) return false;
    left--;
  }
  return left === 0;
}
