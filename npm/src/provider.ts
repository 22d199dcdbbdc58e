// A window as the arguments of a provider's own SDK.

import { engine, json } from "./engine.js";
import { list, take } from "./input.js";

/** What each provider's SDK takes of a window. */
export interface Requests<M extends object = object> {
  openai: { messages: M[] };
  anthropic: { messages: M[]; system?: string | unknown[] };
  responses: { input: M[]; instructions?: string };
  gemini: { contents: M[]; config?: { systemInstruction: string | object } };
}

export type Provider = keyof Requests;

/** Where each SDK takes the messages, and where the system slot. */
const PLACES: Record<Provider, readonly [string, ...string[]]> = {
  openai: ["messages"],
  anthropic: ["messages", "system"],
  responses: ["input", "instructions"],
  gemini: ["contents", "config", "systemInstruction"],
};

/**
 * Messages and a system slot as the arguments of a provider's SDK. What is the provider's already stays the very object it was. From
 * another shape texts, calls and results are carried over, reasoning is left out, and images, files and approvals are an error:
 * `invalid_message`.
 */
export function renderRequest<P extends Provider, M extends object = object>(provider: P, messages: readonly M[], options: { system?: unknown } = {}): Requests<M>[P] {
  const given = list("messages", messages) as readonly M[];
  const args = { provider, messages: given, system: options.system ?? null };
  const made: { slots: ({ host: number } | { own: M })[]; system: unknown } = json(() => engine().published("render", JSON.stringify(take(args).copy)));
  const [listed, ...places] = PLACES[provider];
  const slot = made.system === null ? {} : places.reduceRight<unknown>((held, place) => ({ [place]: held }), made.system);
  return { [listed]: made.slots.map((entry) => ("own" in entry ? entry.own : given[entry.host])), ...(slot as object) } as Requests<M>[P];
}
