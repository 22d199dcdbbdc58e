// Runs a host's summarizer over the requests of a plan. What it answers is checked by the engine at `commit`.

import { fault } from "./engine.js";
import { toWellFormed } from "./input.js";
import type { Asked, Request } from "./wire.js";

/** A summary, with what the provider said about its end where it is known. */
export type Summary = string | { text: string; finishReason?: string | null };

/** Summarizes one request: `request.prompt` is ready to send. `null` says that the call failed. */
export type Summarizer = (request: Request, context: { signal: AbortSignal | undefined }) => Summary | null | Promise<Summary | null>;

/** A summarizer that answers at once. */
export type SyncSummarizer = (request: Request) => Summary | null;

export interface CompactSyncOptions {
  /** What to do when the summarizer throws: take the built-in summary of that span, or refuse with `summarizer_failed`. */
  onError?: "fallback" | "raise";
  /** Compact without a trigger. */
  asked?: Asked;
}

export interface CompactOptions extends CompactSyncOptions {
  /** Aborting rejects with its reason; nothing is changed. Passed on to the summarizer. */
  signal?: AbortSignal;
  /** How many requests run at the same time. Default 4. */
  concurrency?: number;
}

/** A summary as it is stored. */
export type Answer = { text: string; finish_reason: string | null } | null;
export type Answers = Map<string, Answer>;
/** Takes an answer as soon as it is there. */
export type Keep = (request: Request, given: Answer) => void | Promise<void>;

/** Asks the summarizer, several requests at a time. */
export async function ask(requests: readonly Request[], summarizer: Summarizer, options: CompactOptions, keep?: Keep): Promise<Answers> {
  const { signal, concurrency = 4 } = options;
  const raises = onError(options) === "raise";
  if (!Number.isInteger(concurrency) || concurrency < 1) throw fault("invalid_argument", "`concurrency` must be a whole number from 1 on");
  signal?.throwIfAborted();
  const answers: Answers = new Map();
  let next = 0;
  let stopped = false;
  const worker = async (): Promise<void> => {
    for (;;) {
      const request = requests[next++];
      if (request === undefined || stopped) return;
      try {
        const given = answer(request, await attempt(request, summarizer, signal, raises));
        answers.set(request.id, given);
        await keep?.(request, given);
      } catch (error) {
        stopped = true;
        throw error;
      }
    }
  };
  const all = Promise.all(Array.from({ length: Math.min(concurrency, requests.length) }, worker));
  try {
    await unlessAborted(all, signal);
  } finally {
    stopped = true;
  }
  return answers;
}

async function attempt(request: Request, summarizer: Summarizer, signal: AbortSignal | undefined, raises: boolean): Promise<unknown> {
  try {
    return await summarizer(request, { signal });
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    if (raises) throw failed(request, cause);
    return null;
  }
}

/** Asks a summarizer that answers at once. */
export function askSync(requests: readonly Request[], summarizer: SyncSummarizer, options: CompactSyncOptions, keep?: Keep): Answers {
  const raises = onError(options) === "raise";
  const answers: Answers = new Map();
  for (const request of requests) {
    let given: unknown;
    try {
      given = summarizer(request);
    } catch (cause) {
      if (raises) throw failed(request, cause);
      given = null;
    }
    if (typeof (given as { then?: unknown } | null | undefined)?.then === "function") {
      // It will fail or not with nobody listening; that must not end the process.
      Promise.resolve(given).catch(() => undefined);
      throw fault("invalid_argument", "the summarizer is asynchronous; use `compact`");
    }
    const made = answer(request, given);
    answers.set(request.id, made);
    void keep?.(request, made);
  }
  return answers;
}

/** The stored form of one summary. */
export function answer(request: { id: string }, given: unknown): Answer {
  if (given === null) return null;
  if (typeof given === "string") return { text: toWellFormed(given), finish_reason: null };
  if (typeof given === "object") {
    const { text, finishReason } = given as { text?: unknown; finishReason?: unknown };
    if (typeof text === "string" && (finishReason === undefined || finishReason === null || typeof finishReason === "string")) {
      return { text: toWellFormed(text), finish_reason: finishReason ?? null };
    }
  }
  throw fault("summary_not_text", `the summary for \`${request.id}\` is not a string, {text, finishReason} or null`);
}

function failed(request: Request, cause: unknown): Error {
  return fault("summarizer_failed", `the summarizer failed for \`${request.id}\``, { cause });
}

function onError(options: CompactSyncOptions): "fallback" | "raise" {
  const { onError: given = "fallback" } = options;
  if (given !== "fallback" && given !== "raise") throw fault("invalid_argument", "`onError` must be \"fallback\" or \"raise\"");
  return given;
}

/** The result of `work`, or the signal's reason as soon as it is aborted. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
