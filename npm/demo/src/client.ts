// The page's end of the worker. A worker that dies is noticed at once and replaced; what was waiting is told.

import type { Failure, FromWorker, Method, Methods } from "./protocol.js";

/** What the worker could not do, in words for a person. */
export class Failed extends Error {
  readonly code: string;
  readonly hint: string;

  constructor({ code, message, hint }: Failure) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Failed) => void;
  readonly progress: ((done: number) => void) | undefined;
}

/** How long a worker may take to say that it is there. */
const START = 20_000;

export const DIED: Failure = { code: "worker_died", message: "The engine stopped and was started again.", hint: "Nothing left this page. Open the file again." };

export class Client {
  #worker: Worker;
  #waiting = new Map<number, Waiting>();
  #last = 0;
  #watch: ReturnType<typeof setTimeout> | undefined;
  /** Answers a question for the browser's own model. */
  summarize: (text: string) => Promise<string | null> = () => Promise.resolve(null);
  /** Told when the worker had to be replaced: its state is gone. */
  died: () => void = () => undefined;

  constructor() {
    this.#worker = this.#start();
  }

  call<M extends Method>(method: M, args: Methods[M][0], progress?: (done: number) => void): Promise<Methods[M][1]> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (result: never) => void, reject, progress });
      this.#worker.postMessage({ id, method, args });
    });
  }

  #start(): Worker {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "standfast" });
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#take(worker, data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#replace(worker);
    };
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => this.#replace(worker), START);
    return worker;
  }

  #take(worker: Worker, data: FromWorker): void {
    if ("ready" in data) {
      clearTimeout(this.#watch);
      if ("locks" in navigator) void navigator.locks.request(data.lock, () => this.#replace(worker));
      return;
    }
    if ("ask" in data) {
      const answer = data.ask;
      this.summarize(data.text).then(
        (text) => worker.postMessage({ answer, text }),
        () => worker.postMessage({ answer, text: null }),
      );
      return;
    }
    const waiting = this.#waiting.get(data.id);
    if (waiting === undefined) return;
    if ("progress" in data) {
      waiting.progress?.(data.progress);
      return;
    }
    this.#waiting.delete(data.id);
    if ("failure" in data) waiting.reject(new Failed(data.failure));
    else waiting.resolve(data.result as never);
  }

  #replace(worker: Worker): void {
    if (worker !== this.#worker) return;
    worker.terminate();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#worker = this.#start();
    this.died();
    for (const { reject } of waiting) reject(new Failed(DIED));
  }
}
