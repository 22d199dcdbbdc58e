/// <reference lib="esnext.disposable" preserve="true" />
// Keeps rules alive in agents of the OpenAI Agents SDK for JavaScript.
//
// A filter of the model's input gives the window, with the rules in the instructions. The SDK stores what a filter gives, so the filter
// always comes with a wrapper around the session that gives and stores the host's own items only.

import type { AgentInputItem, CallModelInputFilter, Model, ModelRequest, Session as AgentSession } from "@openai/agents";
import type { BoundaryName, Guard, Receipt } from "standfast";
import { grouped, type Item } from "./agents-items.js";
import { RawSession } from "./agents-session.js";
import { RECALL_ABOUT, RECALL_SCHEMA, recallText, type RecallInput } from "./recall.js";
import { Session, problem, type SessionOptions } from "./session.js";

export type { AfterRefusal, SessionOptions } from "./session.js";

export interface StandfastOptions extends SessionOptions {
  /** Seams of the work, by the tool whose result came in. */
  boundaries?: Readonly<Record<string, BoundaryName>>;
}

/** What `options` takes: the options of a run. */
export interface RunOptions {
  session?: AgentSession;
  callModelInputFilter?: CallModelInputFilter<any>;
  conversationId?: string;
  previousResponseId?: string;
}

/** Loads a conversation's guard. */
export async function standfast(options: StandfastOptions): Promise<Standfast> {
  return new Standfast(await Session.open(options, "ai_sdk"), options);
}

const guarded = new WeakSet<object>();

/** A conversation's guard in runs of agents. */
export class Standfast {
  readonly #session: Session;
  readonly #boundaries: StandfastOptions["boundaries"];
  #tools: unknown;
  #seam: BoundaryName | undefined;

  constructor(session: Session, options: StandfastOptions) {
    this.#session = session;
    this.#boundaries = options.boundaries;
  }

  /** The guard as it is now. Change rules in `update`, so that they are saved. */
  get guard(): Guard {
    return this.#session.guard;
  }

  /** The receipt of the last decision. */
  get receipt(): Receipt {
    return this.guard.receipt;
  }

  /**
   * The options of a run, with the filter and the session's wrapper. A filter of the host's runs first. A history that the server keeps
   * cannot be rebuilt: `server_side_history`.
   */
  options<O extends RunOptions>(options?: O): O & { callModelInputFilter: CallModelInputFilter<any> } {
    const { session, callModelInputFilter: before, conversationId, previousResponseId } = options ?? {};
    if (conversationId !== undefined || previousResponseId !== undefined || isServerSide(session)) throw serverSide();
    const raw = session === undefined ? undefined : new RawSession(session);
    const filter: CallModelInputFilter<any> = async (call) => {
      const data = before === undefined ? call.modelData : await before(call);
      return this.#filter(data.input, data.instructions ?? call.modelData.instructions, raw);
    };
    return { ...(options as O), ...(raw === undefined ? {} : { session: raw.session }), callModelInputFilter: filter };
  }

  /** A model behind the last check: a request without every rule does not go out. Its usage is told to the guard. */
  model(model: Model): Model {
    if (guarded.has(model)) throw problem("invalid_argument", "this model is guarded already");
    const checked = (request: ModelRequest): ModelRequest => {
      this.#tools = request.tools;
      this.#assert(request);
      return request;
    };
    const usage = (tokens: unknown): void => {
      if (typeof tokens === "number" && Number.isInteger(tokens) && tokens > 0) this.guard.usage(tokens);
    };
    const methods: Partial<Model> = {
      async getResponse(request) {
        const response = await model.getResponse(checked(request));
        usage(response.usage.inputTokens);
        return response;
      },
      async *getStreamedResponse(request) {
        for await (const event of model.getStreamedResponse(checked(request))) {
          if (event.type === "response_done") usage(event.response.usage.inputTokens);
          yield event;
        }
      },
    };
    const wrapped = new Proxy(model, {
      get(target, name) {
        const own = methods[name as keyof Model];
        if (own !== undefined) return own;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
    guarded.add(wrapped);
    return wrapped;
  }

  /** The parts of a tool that fetches originals back: `tool(sf.recall)`. */
  get recall(): { name: string; description: string; parameters: any; strict: false; execute: (input: unknown) => Promise<string> } {
    return {
      name: "recall",
      description: RECALL_ABOUT,
      parameters: { ...RECALL_SCHEMA, required: [], additionalProperties: true },
      strict: false,
      execute: (input) => recallText(this.guard, (input ?? {}) as RecallInput),
    };
  }

  /** Reports a seam of the work, for the next call of the model. */
  boundary(name: BoundaryName): void {
    this.#seam = name;
  }

  /** Changes rules or task state, and saves. Called again on the newer state where somebody else saved meanwhile. */
  update(change: (guard: Guard) => void): Promise<void> {
    return this.#session.update(change);
  }

  /** Lets the engine's memory go. */
  close(): void {
    this.#session.close();
  }

  async #filter(input: AgentInputItem[], instructions: string | undefined, raw: RawSession | undefined): Promise<{ input: AgentInputItem[]; instructions?: string }> {
    const groups = grouped(input as unknown as Item[]);
    refuseServerSide(groups.map(({ wire }) => wire));
    const items = new Map<object, readonly Item[]>(groups.map(({ wire, items: own }) => [wire, own]));
    const boundary = this.#seam ?? this.#seamOf(input.at(-1) as unknown as Item | undefined);
    this.#seam = undefined;
    const window = await this.#session.prepare(groups.map(({ wire }) => wire), { system: instructions, tools: this.#tools, boundary });
    const kept: Item[] = window.messages.flatMap((message) => items.get(message) ?? [memory(message)]);
    raw?.sent(input as unknown as Item[], kept);
    const system = (window.system ?? undefined) as string | undefined;
    const request = { input: kept as unknown as AgentInputItem[], ...(system === undefined ? {} : { instructions: system }) };
    this.#assert({ input: request.input, systemInstructions: system });
    return request;
  }

  #seamOf(item: Item | undefined): BoundaryName | undefined {
    const name = item?.type === "function_call_result" ? String(item["name"]) : "";
    return this.#boundaries !== undefined && Object.hasOwn(this.#boundaries, name) ? this.#boundaries[name] : undefined;
  }

  #assert({ input, systemInstructions }: Pick<ModelRequest, "input" | "systemInstructions">): void {
    const list = typeof input === "string" ? [{ role: "user", content: input }] : (input as unknown as Item[]);
    const speaking = list.filter(({ role }) => role === "user" || role === "system");
    this.#session.assert(grouped(speaking).map(({ wire }) => wire), systemInstructions);
  }
}

export interface Standfast {
  /** `using sf = …` closes it at the end of the block. */
  [Symbol.dispose](): void;
}

if (typeof Symbol.dispose === "symbol") {
  Object.defineProperty(Standfast.prototype, Symbol.dispose, { value: Standfast.prototype.close, configurable: true, writable: true });
}

/** The memory message as an item. */
function memory(message: object): Item {
  const { content } = message as { content: readonly { text: string }[] | string };
  const text = typeof content === "string" ? content : content.map((part) => part.text).join("\n\n");
  return { type: "message", role: "user", content: text };
}

function isServerSide(session: AgentSession | undefined): boolean {
  return session?.constructor.name === "OpenAIConversationsSession";
}

/** A list that begins with the result of a call that is not in it is what is new to a server. */
function refuseServerSide(wires: readonly object[]): void {
  const [first] = wires as readonly { role?: string; content?: readonly { type: string }[] }[];
  if (first?.role === "tool" && first.content?.[0]?.type === "tool-result") throw serverSide();
}

function serverSide(): Error {
  return problem("server_side_history", "the server keeps the history of this run", "PolicyError", "run without `conversationId`, `previousResponseId` and server-side sessions: a history that is not here cannot be compacted safely");
}
