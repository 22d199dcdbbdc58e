// Keeps rules alive in agents of LangChain.js.
//
// The middleware belongs last in the list: it hands the whole history in, gives the window to the model, and leaves the agent's state as
// it is. The rules stand in the system message, where other middleware does not trim.

import { HumanMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { createMiddleware, tool, type AgentMiddleware } from "langchain";
import { MemoryStore, type BoundaryName, type Guard, type Window } from "standfast";
import { wire } from "./langchain-messages.js";
import { RECALL_ABOUT, RECALL_SCHEMA, recallText, type RecallInput } from "./recall.js";
import { Session, type SessionOptions } from "./session.js";

export type { AfterRefusal, SessionOptions } from "./session.js";

export interface StandfastOptions extends Omit<SessionOptions, "id"> {
  /** The name of a conversation. Default: the run's `thread_id`; a run without one is a conversation of its own. */
  id?: (runtime: { configurable?: Readonly<Record<string, unknown>> }) => string | undefined;
  /** Seams of the work, by the tool whose result came in. */
  boundaries?: Readonly<Record<string, BoundaryName>>;
  /** Gives the agent a tool that fetches originals back. */
  recall?: boolean;
}

/** A middleware for `createAgent`, with what a host needs beside it. */
export type Standfast = AgentMiddleware & {
  /** For `callbacks` of a run: the last check of what is really sent, whatever other middleware did. */
  readonly check: BaseCallbackHandler;
  /** Changes rules or task state of a conversation, and saves. */
  update(id: string, change: (guard: Guard) => void): Promise<void>;
};

interface Request {
  messages: BaseMessage[];
  systemMessage: SystemMessage;
  tools: readonly unknown[];
  runtime: { configurable?: Readonly<Record<string, unknown>> };
}

/** Conversations whose state is kept in this process where there is no store. */
const KEPT = 100;
/** Texts of summaries that are kept for runs without a name. */
const TEXTS = 5_000;

/** Makes the middleware. Without a store, states live in this process. */
export function standfast(options: StandfastOptions): Standfast {
  const sessions = new Sessions(options);
  const threadOf = options.id ?? (({ configurable }) => configurable?.["thread_id"] as string | undefined);
  const tools = options.recall === true ? [recallTool(sessions, threadOf)] : [];
  const middleware = createMiddleware({
    name: "standfast",
    tools,
    wrapModelCall: async (request, handler) => {
      const asked = request as unknown as Request;
      const id = threadOf(asked.runtime ?? {});
      return sessions.use(id, async (session) => {
        const { messages, systemMessage } = await rebuilt(session, asked, options.boundaries);
        return handler({ ...request, messages, systemMessage } as typeof request);
      });
    },
  });
  return Object.assign(middleware as unknown as AgentMiddleware, {
    check: checkOf(sessions),
    update: (id: string, change: (guard: Guard) => void) => sessions.use(id, (session) => session.update(change)),
  });
}

/** The request's messages and system message as the window has them. */
async function rebuilt(session: Session, { messages, systemMessage, tools }: Request, boundaries: StandfastOptions["boundaries"]): Promise<{ messages: BaseMessage[]; systemMessage: SystemMessage }> {
  const hosts = new Map<object, BaseMessage>();
  const list = messages.map((message) => {
    const read = wire(message);
    hosts.set(read, message);
    return read;
  });
  const window: Window<object> = await session.prepare(list, { system: systemMessage.text, tools: described(tools), boundary: seam(messages.at(-1), boundaries) });
  const rebuiltSystem = withBlock(systemMessage, window.pinned);
  const rebuiltMessages = window.messages.map((message) => hosts.get(message) ?? memory(message));
  session.assert(window.messages.filter((message) => ["user", "system"].includes((message as { role: string }).role)), rebuiltSystem.text);
  return { messages: rebuiltMessages, systemMessage: rebuiltSystem };
}

function withBlock(head: SystemMessage, block: string): SystemMessage {
  if (block === "") return head;
  if (typeof head.content === "string") return new SystemMessage(head.content === "" ? block : `${head.content}\n\n${block}`);
  return new SystemMessage({ content: [...head.content, { type: "text", text: block }] as never });
}

function memory(message: object): HumanMessage {
  const { content } = message as { content: readonly { text: string }[] | string };
  return new HumanMessage(typeof content === "string" ? content : content.map((part) => part.text).join("\n\n"));
}

/** What of the tools is sent: names, descriptions and schemas are what counts. */
function described(tools: readonly unknown[]): unknown {
  return tools.map((given) => {
    const { name, description, schema } = given as { name?: unknown; description?: unknown; schema?: unknown };
    const plain = typeof schema === "object" && schema !== null && !("_zod" in schema) && !("_def" in schema);
    return { name: String(name ?? ""), description: String(description ?? ""), schema: plain ? JSON.stringify(schema) : "" };
  });
}

function seam(message: BaseMessage | undefined, boundaries: StandfastOptions["boundaries"]): BoundaryName | undefined {
  const name = message?.getType() === "tool" ? message.name : undefined;
  return name !== undefined && boundaries !== undefined && Object.hasOwn(boundaries, name) ? boundaries[name] : undefined;
}

/** The sessions of conversations. */
class Sessions {
  readonly #options: StandfastOptions;
  readonly #kept = new Map<string, Promise<Session>>();
  /** Summaries of runs without a name are found again here. */
  #texts = new MemoryStore();
  /** Sessions whose model is being asked, by the name of the conversation. */
  readonly asking = new Map<string | undefined, Session[]>();

  constructor(options: StandfastOptions) {
    this.#options = options;
  }

  /** Works with the session of a conversation. */
  async use<T>(id: string | undefined, work: (session: Session) => Promise<T>): Promise<T> {
    const { store } = this.#options;
    const own = store !== undefined || id === undefined;
    const session = await (own ? this.#open(id) : this.#keep(id));
    const asking = this.asking.get(id) ?? [];
    this.asking.set(id, [...asking, session]);
    try {
      return await work(session);
    } finally {
      const rest = (this.asking.get(id) ?? []).filter((other) => other !== session);
      if (rest.length === 0) this.asking.delete(id);
      else this.asking.set(id, rest);
      if (own) session.close();
    }
  }

  #open(id: string | undefined): Promise<Session> {
    const { id: _, boundaries, recall, store, ...options } = this.#options;
    if (id !== undefined) return Session.open({ ...options, id, store }, "ai_sdk");
    if (this.#texts.size > TEXTS) this.#texts = new MemoryStore();
    return Session.open({ ...options, id: "unnamed", store: unnamed(store ?? this.#texts) }, "ai_sdk");
  }

  #keep(id: string): Promise<Session> {
    const known = this.#kept.get(id);
    this.#kept.delete(id);
    const session = known ?? this.#open(id);
    this.#kept.set(id, session);
    if (known === undefined) session.catch(() => this.#kept.delete(id));
    if (this.#kept.size > KEPT) this.#kept.delete(this.#kept.keys().next().value as string);
    return session;
  }
}

/** A store that keeps texts but no state. */
function unnamed(store: NonNullable<StandfastOptions["store"]>): NonNullable<StandfastOptions["store"]> {
  return {
    getMany: (digests) => store.getMany(digests),
    putMany: (texts) => store.putMany(texts),
    load: () => null,
    save: () => "1",
  };
}

/** A handler that ends a run whose request lost a rule on its way to the model. */
function checkOf(sessions: Sessions): BaseCallbackHandler {
  class Check extends BaseCallbackHandler {
    name = "standfast";
    override raiseError = true;
    override awaitHandlers = true;
    override handleChatModelStart(_: unknown, batches: BaseMessage[][], _run: string, _parent?: string, _extra?: unknown, _tags?: string[], metadata?: Record<string, unknown>): void {
      const asking = sessions.asking.get(metadata?.["thread_id"] as string | undefined) ?? [];
      for (const messages of batches) {
        const speaking = messages.filter((message) => message.getType() === "system" || message.getType() === "human").map(wire);
        for (const session of asking) session.assert(speaking);
      }
    }
  }
  return new Check();
}

function recallTool(sessions: Sessions, threadOf: NonNullable<StandfastOptions["id"]>): ReturnType<typeof tool> {
  return tool(
    async (input: unknown, { configurable, state }: { configurable?: Readonly<Record<string, unknown>>; state?: { messages?: BaseMessage[] } }) =>
      sessions.use(threadOf({ configurable }), async (session) => {
        if (state?.messages !== undefined) await session.read(state.messages.map(wire));
        return recallText(session.guard, (input ?? {}) as RecallInput);
      }),
    { name: "recall", description: RECALL_ABOUT, schema: RECALL_SCHEMA as never },
  ) as never;
}
