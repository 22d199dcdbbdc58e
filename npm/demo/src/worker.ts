// The page's worker: the engine, the file that is open, and the guard of the last replay. Nothing here reaches for the network but
// the load of the engine itself.

import { StandfastError, audit, auditSession, countTokens, init, triage, type Guard, type Item, type Trust } from "standfast";
import type { Compared, Explained, Failure, FromWorker, ItemGroup, ItemPage, Method, Methods, Played, ShownItem, Tier, ToWorker } from "./protocol.js";
import { replay, type Replay } from "./replay.js";
import { readScript, speaker, textOf, type Message, type Script } from "./script.js";
import type { SummarizerName } from "./summarizer-names.js";
import { BUILT_IN, type Summarize } from "./summarizers.js";

/** The largest file that is taken. */
const LARGEST = 64 * 1024 * 1024;
/** Items that one answer holds at least, and the longest text of one. */
const ITEMS = 40;
const SHOWN = 2_000;
/** The longest text of one message that is looked at item by item. */
const READ = 40_000;

/** Said to the person who dropped the file. */
class Unusable extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

interface Document {
  readonly name: string;
  readonly text: string;
}

let script: Script | undefined;
let documents: Document[] = [];
let played: Replay | undefined;
/** The items of the last page that was asked for, by message. */
const items = new Map<number, Item[]>();

const send = (message: FromWorker): void => postMessage(message);

const loaded = init();

// The page waits for this lock: it is let go when the worker dies, however that happens.
const lock = `standfast-${Date.now()}-${Math.random()}`;
const ready = (): void => send({ ready: true, lock });
if ("locks" in navigator) {
  void navigator.locks.request(lock, () => {
    ready();
    return new Promise<never>(() => undefined);
  });
} else {
  ready();
}

/** Questions to the page that wait for an answer. */
const waiting = new Map<number, (text: string | null) => void>();
let asked = 0;

/** The browser's own model is the page's to call: workers have none. */
const browserModel: Summarize = async ({ text }) => {
  const id = ++asked;
  const answer = await new Promise<string | null>((resolve) => {
    waiting.set(id, resolve);
    send({ ask: id, text });
  });
  if (answer === null) throw new Unusable("model_failed", "The browser’s model gave no summary.", "Try again, or take another summarizer.");
  return answer;
};

async function textOfFile(name: string, source: File | string): Promise<string> {
  if (typeof source === "string") return source;
  if (source.size > LARGEST) {
    const size = Math.round(source.size / 1024 / 1024);
    throw new Unusable("file_too_large", `${name} has ${size} MB; this page takes up to 64 MB.`, "The command line has no such limit: standfast audit SESSION.");
  }
  const bytes = new Uint8Array(await source.arrayBuffer());
  if (bytes.subarray(0, 4_096).includes(0)) throw new Unusable("not_text", `${name} is not a text file.`, "Drop a .json or .jsonl transcript, or an AGENTS.md.");
  return new TextDecoder().decode(bytes);
}

/** Whether a text is meant to be JSON. */
const isData = (name: string, text: string): boolean => /\.(?:jsonl?|ndjson)$/i.test(name) || /^\s*[[{]/.test(text);

const methods: { [M in Method]: (args: Methods[M][0], id: number) => Methods[M][1] | Promise<Methods[M][1]> } = {
  async open({ files, host }) {
    await loaded;
    close();
    let transcript: { name: string; text: string } | undefined;
    for (const { name, source } of files) {
      const text = await textOfFile(name, source);
      if (text.trim() === "") throw new Unusable("empty_file", `${name} is empty.`, "Drop a .json or .jsonl transcript, or an AGENTS.md.");
      if (!isData(name, text)) documents.push({ name, text });
      else if (transcript === undefined) transcript = { name, text };
    }
    const declared = documents.flatMap(({ name, text }) => rulesOf(name, text));
    const [document] = documents;
    if (transcript === undefined) {
      // the rules of a document are played in a conversation of ours
      const { tokens } = { tokens: documents.reduce((sum, one) => sum + countTokens(one.text), 0) };
      if (declared.length > 0) script = readScript(await textOfFile("", host), "", declared, false);
      return { name: document?.name ?? "", kind: "document", messages: 0, tokens, unread: 0, session: null, rules: declared };
    }
    const { name, text } = transcript;
    script = readScript(text, name.replace(/\.(?:jsonl?|ndjson)$/i, ""), declared);
    documents = [];
    const session = script.compactions.length === 0 ? null : auditSession(text);
    const { format, messages, tokens, unread } = script;
    return { name: script.name, kind: format, messages: messages.length, tokens, unread, session, rules: declared };
  },

  async play({ summarizer }, id): Promise<Played> {
    const { pinned, receipt, guard, ...rest } = await replay(theScript(), summarizerOf(summarizer), { tick: (done) => told(id, done) });
    played?.guard.close();
    played = { pinned, receipt, guard, ...rest };
    return { ...rest, summarizer, pinned, digest: digestOf(guard), review: guard.reviewQueue.slice(0, 200) };
  },

  async compare({ summarizers }, id) {
    const all: Compared[] = [];
    for (const [at, summarizer] of summarizers.entries()) {
      const { rounds, guard } = await replay(theScript(), summarizerOf(summarizer), { tick: (done) => told(id, (at + done) / summarizers.length) });
      guard.close();
      const stand = (arm: "plain" | "ours"): number[] => rounds.map((round) => round[arm].fates.filter(({ kept }) => kept).length);
      all.push({ summarizer, rules: rounds.map(({ plain }) => plain.fates.length), plain: stand("plain"), ours: stand("ours") });
    }
    return all;
  },

  async items({ from }): Promise<ItemPage> {
    await loaded;
    const groups: ItemGroup[] = [];
    let [count, at] = [0, from];
    items.clear();
    const sources = documents.length > 0 ? documents.length : (script?.messages.length ?? 0);
    for (; at < sources && count < ITEMS; at++) {
      const group = groupOf(at);
      count += group.items.length;
      if (group.items.length > 0) groups.push(group);
    }
    return { groups, next: at < sources ? at : null };
  },

  explain({ message, item }): Explained {
    const at = message < 0 ? -1 - message : message;
    const found = items.get(at)?.[item] ?? itemsOf(at)[item];
    if (found === undefined) throw new Unusable("unknown_item", "This item is gone.", "Open the file again.");
    const { contributions, scores, pConstraint } = found.explain();
    return { contributions: contributions.slice(0, 40), scores, pConstraint };
  },

  fates({ text }) {
    const rules = played?.rules ?? documents.flatMap((document) => rulesOf(document.name, document.text));
    return audit(rules, text);
  },

  review({ handle, verdict }) {
    const { guard } = theReplay();
    if (verdict === "approve") guard.approve(handle, { by: "you" });
    else guard.reject(handle, { by: "you" });
    const { pinned } = guard.window();
    return { review: guard.reviewQueue.slice(0, 200), pinned, digest: digestOf(guard) };
  },

  receipt: () => theReplay().receipt?.toJson() ?? theReplay().guard.receipt.toJson(),
  snapshot: () => theReplay().guard.snapshot(),
};

/** Tells the page how far it is, and hears what the page has said in between. */
async function told(id: number, progress: number): Promise<void> {
  send({ id, progress });
  await new Promise((resolve) => setTimeout(resolve));
}

/** What of a document must stand word for word. */
function rulesOf(name: string, text: string): string[] {
  return [...new Set(triage(text, { source: name, trust: "operator" }).filter(({ tier }) => tier === "invariant").map((item) => item.text))];
}

function summarizerOf(name: SummarizerName): Summarize {
  return name === "browser" ? browserModel : BUILT_IN[name];
}

function itemsOf(at: number): Item[] {
  const document = documents[at];
  if (document !== undefined) return triage(document.text, { source: document.name, trust: "operator" });
  const message = script?.messages[at];
  if (message === undefined) return [];
  const trust: Trust = speaker(message);
  return triage(textOf(message).slice(0, READ), { source: trust === "external" ? "tool:result" : String(message["role"]), trust });
}

function groupOf(at: number): ItemGroup {
  const found = itemsOf(at);
  items.set(at, found);
  const document = documents[at];
  const message = script?.messages[at];
  return {
    message: document === undefined ? at : -1 - at,
    role: document?.name ?? String(message?.["role"] ?? ""),
    trust: document !== undefined || message === undefined ? "operator" : speaker(message),
    items: found.map(shown),
  };
}

function shown({ text, tier, knowledge, polarity, confidence, line, headingPath }: Item): ShownItem {
  return { text: text.slice(0, SHOWN), tier: tier as Tier, knowledge, polarity, confidence, line, heading: headingPath.join(" › ") };
}

function theScript(): Script {
  if (script === undefined) throw new Unusable("no_transcript", "There is no transcript open.", "Drop one, or take a sample.");
  return script;
}

function theReplay(): Replay & { guard: Guard<Message> } {
  if (played === undefined) throw new Unusable("no_replay", "Nothing has been compacted yet.", "Wait for the replay.");
  return played;
}

function close(): void {
  played?.guard.close();
  played = undefined;
  script = undefined;
  documents = [];
  items.clear();
}

/** SHA-256 of the pinned block. */
function digestOf(guard: Guard<Message>): string {
  return guard.window().receipt.pinnedDigest;
}

function failure(error: unknown): Failure {
  if (error instanceof Unusable || error instanceof StandfastError) {
    const { code, message, hint } = error;
    return { code, message: code === "unknown_shape" ? `This is no transcript that can be read: ${message}.` : message, hint };
  }
  return { code: "internal", message: error instanceof Error ? error.message : String(error), hint: "Reload the page and try again." };
}

/** Calls change one state, so they run one after the other. */
let last: Promise<unknown> = Promise.resolve();

onmessage = ({ data }: MessageEvent<ToWorker>): void => {
  if ("answer" in data) {
    waiting.get(data.answer)?.(data.text);
    waiting.delete(data.answer);
    return;
  }
  const { id, method, args } = data;
  const run = methods[method] as (args: unknown, id: number) => unknown;
  last = last.then(async () => {
    try {
      send({ id, result: await run(args, id) });
    } catch (error) {
      send({ id, failure: failure(error) });
    }
  });
};
