// A host's summarizer, bounded: one that never settles or gives nothing counts as failed, and the engine takes its own summary.

import type { Request, Summarizer, Summary } from "standfast";

const DEFAULT_TIMEOUT = 60_000;

/** The summarizer with a time limit. What is no summary becomes `null`. */
export function bounded(summarizer: Summarizer, timeout = DEFAULT_TIMEOUT): Summarizer {
  return async (request: Request, { signal }) => {
    const inner = new AbortController();
    let stop: () => void = () => undefined;
    const stopped = new Promise<null>((resolve) => {
      stop = () => resolve(null);
    });
    const abort = (): void => {
      inner.abort(signal?.reason);
      stop();
    };
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    const timer = setTimeout(() => {
      inner.abort(new DOMException("the summarizer took too long", "TimeoutError"));
      stop();
    }, timeout);
    try {
      const work = Promise.resolve(summarizer(request, { signal: inner.signal }));
      // nobody listens to one that fails after its time
      work.catch(() => undefined);
      return usable(await Promise.race([work, stopped]));
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  };
}

function usable(given: unknown): Summary | null {
  const text: unknown = typeof given === "object" && given !== null ? (given as { text?: unknown }).text : given;
  return typeof text === "string" && text.trim() !== "" ? (given as Summary) : null;
}
