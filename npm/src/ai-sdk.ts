/// <reference lib="esnext.disposable" preserve="true" />
// Keeps rules alive in agents of the AI SDK, versions 6 and 7.
//
// `prepareStep` hands the whole history in and gives the window; the wrapped model checks each outgoing prompt. The rules stand
// in the instructions, never as system messages among the messages. Version 6 does not tell `prepareStep` the system prompt: for the
// first step, the wrapped model sets the block behind it; from then on it is known.

import { convertToModelMessages, gateway, wrapLanguageModel, type LanguageModel, type LanguageModelMiddleware, type ModelMessage, type PrepareStepFunction, type SystemModelMessage, type Tool, type UIMessage } from "ai";
import type { BoundaryName, Finding, Guard, Receipt, StandfastError, Summarizer, Window } from "standfast";
import { boundaryTool, recallTool } from "./ai-sdk-tools.js";
import { summarize } from "./ai-sdk-summarize.js";
import { Session, problem, type SessionOptions } from "./session.js";

export { summarize } from "./ai-sdk-summarize.js";
export type { AfterRefusal, SessionOptions } from "./session.js";

/** A system prompt as the AI SDK takes it. */
export type Instructions = string | SystemModelMessage | SystemModelMessage[];

/** What a boundary is read from: a finished step. */
export interface FinishedStep {
  readonly toolCalls: readonly { readonly toolName: string }[];
  readonly finishReason: string;
}

export interface StandfastOptions extends SessionOptions {
  /**
   * The system prompt. Needed in version 6 where it changes within this request; else it is seen. What is given here goes out in the
   * place of `system` of the call.
   */
  instructions?: Instructions;
  /** Seams of the work: by the tool that was called in a step, or read from the step. */
  boundaries?: Readonly<Record<string, BoundaryName>> | ((step: FinishedStep) => BoundaryName | undefined);
}

/** Loads a conversation's guard for one request. */
export async function standfast(options: StandfastOptions): Promise<Standfast> {
  return new Standfast(await Session.open(options, "ai_sdk"), options);
}

/** What either version hands to `prepareStep`. */
interface Step {
  steps: readonly unknown[];
  stepNumber: number;
  messages: ModelMessage[];
  initialMessages?: ModelMessage[];
  responseMessages?: ModelMessage[];
  initialInstructions?: Instructions;
  experimental_steeringMessages?: ModelMessage[];
}

/** A step of version 6 whose system prompt is not known yet. */
interface Unseen {
  block: SystemModelMessage[];
  steps: object;
}

/** A prompt as a model gets it, in either version. */
type Prompt = ({ role: string; content: unknown; providerOptions?: unknown } & object)[];

/** Steps of version 6 that may be under way at the same time. */
const UNDER_WAY = 64;
const guarded = new WeakSet<object>();

/** A conversation's guard in one request. */
export class Standfast {
  readonly #session: Session;
  readonly #boundaries: StandfastOptions["boundaries"];
  /** The system prompt where the host gave it here. */
  #given: Instructions | undefined;
  /** The system prompt that version 6 sent, by the list of steps of its call; and the last one of all. */
  readonly #heads = new WeakMap<object, SystemModelMessage[]>();
  #head: string | undefined;
  readonly #unseen = new Map<string, Unseen>();
  #count = 0;
  #tools: unknown;
  #seam: BoundaryName | undefined;
  /** Gives the window to the SDK, compacted if it is time. */
  readonly prepareStep: PrepareStepFunction<any>;
  /** What a user may read of an error: for `onError` of UI responses. Never holds any text of the conversation. */
  readonly errorText: (error: unknown) => string;

  constructor(session: Session, options: StandfastOptions) {
    this.#session = session;
    this.#given = options.instructions;
    this.#boundaries = options.boundaries;
    this.prepareStep = (step) => this.#prepareStep(step as unknown as Step) as never;
    this.errorText = errorText;
  }

  /** The guard as it is now. Change rules in `update`, so that they are saved. */
  get guard(): Guard {
    return this.#session.guard;
  }

  /** The receipt of the last decision. */
  get receipt(): Receipt {
    return this.guard.receipt;
  }

  /** The model behind the check: a prompt without every rule does not go out. Other users of `model` are not concerned. */
  model(model: LanguageModel): Exclude<LanguageModel, string> {
    if (typeof model === "object" && guarded.has(model)) throw problem("invalid_argument", "this model is guarded already");
    const middleware = {
      transformParams: async ({ params }: { params: Params }) => this.#checked(params),
      wrapGenerate: async ({ doGenerate }: { doGenerate: () => PromiseLike<{ usage?: unknown }> }) => {
        const result = await doGenerate();
        this.#usage(result.usage);
        return result;
      },
      wrapStream: async ({ doStream }: { doStream: () => PromiseLike<{ stream: ReadableStream<{ type: string; usage?: unknown }> }> }) => {
        const result = await doStream();
        const told = new TransformStream<{ type: string; usage?: unknown }, unknown>({
          transform: (part, controller) => {
            if (part.type === "finish") this.#usage(part.usage);
            controller.enqueue(part);
          },
        });
        return { ...result, stream: result.stream.pipeThrough(told) };
      },
    };
    const wrapped = wrapLanguageModel({ model: resolved(model) as never, middleware: middleware as unknown as LanguageModelMiddleware });
    guarded.add(wrapped);
    return wrapped;
  }

  /**
   * Does what the first step would do, and throws what a stream would swallow: takes the messages in, compacts if it is time, checks
   * the window. Gives what the check found. Messages of a chat's UI are taken as the SDK's own `convertToModelMessages` gives them.
   */
  async ready(request?: { messages: readonly ModelMessage[] | readonly UIMessage[]; instructions?: Instructions }): Promise<Finding[]> {
    if (request === undefined) return [];
    if (request.instructions !== undefined) this.#given = request.instructions;
    const { messages } = request;
    const window = await this.#prepare(isOfUi(messages) ? await convertToModelMessages([...messages]) : messages, this.#given);
    return this.#session.assert(window.messages, window.system);
  }

  /** A summarizer that asks `model`: the raw one, since requests for summaries hold no rules. */
  summarize(model: LanguageModel): Summarizer {
    if (typeof model === "object" && guarded.has(model)) throw problem("invalid_argument", "summaries are asked of the raw model, not of a guarded one");
    return summarize(model);
  }

  /** A tool that fetches original messages back that were summarized. */
  get recallTool(): Tool {
    return recallTool(() => this.guard);
  }

  /** A tool by which the agent says that a part of its work is done: a good moment to compact. */
  get boundaryTool(): Tool {
    return boundaryTool((name) => this.boundary(name));
  }

  /** Reports a seam of the work, for the next step. */
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

  async #prepareStep(step: Step): Promise<object> {
    this.#seam ??= this.#seamOf(step.steps.at(-1) as FinishedStep | undefined);
    const later = step.initialMessages !== undefined;
    const given = this.#given ?? (later ? step.initialInstructions : this.#heads.get(step.steps));
    const window = await this.#prepare(later ? wholeList(step) : step.messages, given);
    const { messages, system } = window;
    if (later) return system === null ? { messages } : { messages, instructions: system };
    if (given !== undefined) return system === null ? { messages } : { messages, system };
    const token = String(++this.#count);
    this.#unseen.set(token, { block: system === null ? [] : listed(system as Instructions), steps: step.steps });
    if (this.#unseen.size > UNDER_WAY) this.#unseen.delete(this.#unseen.keys().next().value as string);
    return { messages, providerOptions: { standfast: { step: token } } };
  }

  async #prepare(messages: readonly ModelMessage[], instructions: Instructions | undefined): Promise<Window<ModelMessage>> {
    const boundary = this.#seam;
    this.#seam = undefined;
    const system = typeof instructions === "object" ? listed(instructions) : instructions;
    return this.#session.prepare(messages, { system, tools: this.#tools, boundary });
  }

  #seamOf(step: FinishedStep | undefined): BoundaryName | undefined {
    if (step === undefined || this.#boundaries === undefined) return undefined;
    if (typeof this.#boundaries === "function") return this.#boundaries(step);
    const names = this.#boundaries;
    return step.toolCalls.map(({ toolName }) => (Object.hasOwn(names, toolName) ? names[toolName] : undefined)).findLast((name) => name !== undefined);
  }

  #checked(params: Params): Params {
    this.#tools = params.tools;
    const { standfast: mine, ...options } = params.providerOptions ?? {};
    const unseen = this.#unseen.get(String((mine as { step?: unknown } | undefined)?.step));
    const prompt = unseen === undefined ? params.prompt : this.#placed(params.prompt, unseen);
    // what assistants and tools say cannot stand for a rule
    this.#session.assert(prompt.filter(({ role }) => role !== "assistant" && role !== "tool"));
    return { ...params, prompt, providerOptions: params.providerOptions === undefined ? undefined : options };
  }

  /** The prompt of a first step of version 6, with the block behind the system prompt. */
  #placed(prompt: Prompt, { block, steps }: Unseen): Prompt {
    let end = prompt.findIndex(({ role }) => role !== "system");
    if (end < 0) end = prompt.length;
    const head = prompt.slice(0, end) as unknown as SystemModelMessage[];
    const text = JSON.stringify(head);
    // another system prompt than this request had before was put in by somebody else: nothing is put back quietly
    if (this.#head !== undefined && this.#head !== text) return prompt;
    this.#head = text;
    this.#heads.set(steps, head);
    return [...prompt.slice(0, end), ...block, ...prompt.slice(end)];
  }

  #usage(usage: unknown): void {
    const { inputTokens } = (usage ?? {}) as { inputTokens?: number | { total?: number } };
    const total = typeof inputTokens === "object" ? inputTokens?.total : inputTokens;
    if (typeof total === "number" && Number.isInteger(total) && total > 0) this.guard.usage(total);
  }
}

export interface Standfast {
  /** `using sf = …` closes it at the end of the block. */
  [Symbol.dispose](): void;
}

if (typeof Symbol.dispose === "symbol") {
  Object.defineProperty(Standfast.prototype, Symbol.dispose, { value: Standfast.prototype.close, configurable: true, writable: true });
}

interface Params {
  prompt: Prompt;
  tools?: unknown;
  providerOptions?: Record<string, unknown>;
}

/** The whole list in version 7, whose `messages` may hold an earlier window: what was given, and what came since, in order. */
function wholeList({ steps, initialMessages, responseMessages, experimental_steeringMessages: steering }: Step): ModelMessage[] {
  const done = steps as readonly { response: { messages: ModelMessage[] }; experimental_steeringMessages?: ModelMessage[] }[];
  const later = done.flatMap((step) => step.response.messages).length;
  const responses = responseMessages ?? [];
  const list = [...(initialMessages ?? []), ...responses.slice(0, responses.length - later)];
  for (const step of done) list.push(...(step.experimental_steeringMessages ?? []), ...step.response.messages);
  return [...list, ...(steering ?? [])];
}

function isOfUi(messages: readonly ModelMessage[] | readonly UIMessage[]): messages is readonly UIMessage[] {
  return messages.some((message) => "parts" in message && !("content" in message));
}

function listed(instructions: Instructions): SystemModelMessage[] {
  if (typeof instructions === "string") return [{ role: "system", content: instructions }];
  return Array.isArray(instructions) ? instructions : [instructions];
}

function resolved(model: LanguageModel): Exclude<LanguageModel, string> {
  if (typeof model !== "string") return model;
  const provider = (globalThis as { AI_SDK_DEFAULT_PROVIDER?: { languageModel(id: string): unknown } }).AI_SDK_DEFAULT_PROVIDER ?? gateway;
  return provider.languageModel(model) as Exclude<LanguageModel, string>;
}

/** What a user may read of an error. */
export function errorText(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    const { code, hint } = at as Partial<StandfastError>;
    if (typeof code === "string" && typeof hint === "string") return `The request was stopped (${code}): ${hint}`;
  }
  return "An error occurred.";
}
