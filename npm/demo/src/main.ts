// The page: opens with the cliff, then takes a file, has the worker read and replay it, and shows what came of it.

import cliffs from "virtual:cliffs";
import { Client, DIED, Failed } from "./client.js";
import { showCompared, showGauge, showRounds, showSurvival } from "./charts.js";
import { showCliff } from "./cliff.js";
import { byId, counted, fill, h } from "./dom.js";
import { showItems } from "./items.js";
import { choices, showFates, showInstall, showPinned, showReview } from "./panels.js";
import type { Opened, Played, Source } from "./protocol.js";
import { SUMMARIZERS, type SummarizerName } from "./summarizer-names.js";
import { showActions } from "./share.js";
import { showVerdict, verdictOf } from "./verdict.js";

interface Sample {
  readonly label: string;
  readonly file: string;
}

const SAMPLES: Readonly<Record<string, Sample>> = {
  "claude-code": { label: "Claude Code session", file: "claude-code.jsonl" },
  codex: { label: "Codex session", file: "codex.jsonl" },
  medical: { label: "Ward round", file: "medical.json" },
  settlements: { label: "Settlements", file: "settlements.json" },
  coding: { label: "Coding agent", file: "coding.json" },
};

/** A summarizer that some browsers bring. */
interface BrowserSummarizer {
  availability(options: object): Promise<string>;
  create(options: object): Promise<{ summarize(text: string): Promise<string>; destroy?(): void }>;
}

/** What is asked of it. */
const MODEL = { type: "key-points", format: "plain-text", length: "long", outputLanguage: "en" };

const client = new Client();
let files: readonly Source[] = [];
let sample: string | null = null;
let summarizer: SummarizerName = "drifting";
let offered: readonly SummarizerName[] = [];
let opened: Opened | undefined;
/** Counts what was opened: answers about an earlier file are dropped. */
let turn = 0;
/** How often the worker died since it last played something. */
let deaths = 0;

const say = (text: string): void => {
  byId("status").textContent = text;
};

function fail(error: unknown): void {
  const failure = byId("failure");
  const { message, hint } = error instanceof Failed ? error : { message: error instanceof Error ? error.message : String(error), hint: "Reload the page and try again." };
  fill(failure, h("p", {}, message), h("p", {}, hint));
  failure.hidden = false;
  say("");
}

/** The text of one of the page's own samples. */
async function fetched(name: string): Promise<string> {
  const response = await fetch(`./samples/${SAMPLES[name]!.file}`);
  if (!response.ok) throw new Error(`The sample could not be loaded (${response.status}).`);
  return response.text();
}

async function open(given: readonly Source[], name: string | null): Promise<void> {
  const mine = ++turn;
  [files, sample] = [given, name];
  byId("failure").hidden = true;
  say("Reading …");
  try {
    // only a document needs a conversation to be played in
    const host = given.some(({ name: file }) => /\.jsonl?$/i.test(file)) ? "" : await fetched("coding");
    const found = await client.call("open", { files: given, host });
    if (mine !== turn) return;
    opened = found;
    await play();
    if (mine !== turn) return;
    byId("headline").focus({ preventScroll: true });
    byId("result").scrollIntoView();
  } catch (error) {
    if (mine === turn) fail(error);
  }
}

/** Replays what is open with the summarizer that is chosen. */
async function play(): Promise<void> {
  const [mine, file] = [turn, opened!];
  for (const id of ["items-section", "fates-section"]) byId(id).hidden = false;
  if (file.kind === "document") showItems(client, fail);
  if (file.kind === "document" && file.rules.length === 0) {
    byId("result").hidden = true;
    say("There is no rule in it that must stand word for word.");
    return;
  }
  const played = await client.call("play", { summarizer }, (done) => mine === turn && say(`Playing the run: ${Math.round(done * 100)} %`));
  deaths = 0;
  if (mine !== turn) return;
  await show(file, played);
}

async function show(file: Opened, played: Played): Promise<void> {
  const mine = turn;
  const verdict = verdictOf(file, played);
  byId("result").hidden = false;
  byId("compared").hidden = true;
  byId("summarizer-about").textContent = SUMMARIZERS[played.summarizer].about;
  const parts = [
    () => showVerdict(verdict),
    () => showActions(verdict, client, sample, say, fail),
    () => showSurvival(played),
    () => showRounds(played),
    () => showGauge(played),
    () => showPinned(played),
    () => showReview(played, client, say, fail),
    () => file.kind !== "document" && showItems(client, fail),
    () => say(`${verdict.before}${verdict.bad}${verdict.after}.`),
  ];
  for (const part of parts) {
    part();
    // each is drawn by itself, so that the page answers in between
    await new Promise((resolve) => setTimeout(resolve));
    if (mine !== turn) return;
  }
}

/** Plays with another summarizer. */
async function replayed(): Promise<void> {
  if (opened === undefined) return;
  const mine = ++turn;
  byId("failure").hidden = true;
  try {
    await play();
  } catch (error) {
    if (mine === turn) fail(error);
  }
}

/** Plays with all summarizers and puts what they left side by side. */
async function compare(): Promise<void> {
  const mine = turn;
  try {
    const all = await client.call("compare", { summarizers: offered }, (done) => mine === turn && say(`Playing with all summarizers: ${Math.round(done * 100)} %`));
    if (mine !== turn) return;
    showCompared(all);
    byId("compared").hidden = false;
    say("All summarizers are side by side.");
  } catch (error) {
    if (mine === turn) fail(error);
  }
}

function browserSummarizer(): BrowserSummarizer | undefined {
  return (globalThis as { Summarizer?: BrowserSummarizer }).Summarizer;
}

async function offerSummarizers(): Promise<void> {
  const names: SummarizerName[] = ["drifting", "destructive", "extractive"];
  offered = names;
  const offer = (): void =>
    choices(
      "summarizers",
      names.map((value) => ({ value, label: SUMMARIZERS[value].label })),
      (value) => {
        summarizer = value;
        void replayed();
      },
      summarizer,
    );
  offer();
  const model = browserSummarizer();
  if (model === undefined || (await model.availability(MODEL).catch(() => "unavailable")) === "unavailable") return;
  names.push("browser");
  offer();
  client.summarize = async (text) => {
    const made = await model.create(MODEL);
    try {
      return await made.summarize(text);
    } finally {
      made.destroy?.();
    }
  };
}

function takeDrops(): void {
  const root = document.documentElement;
  const holds = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") === true;
  addEventListener("dragover", (event) => {
    if (!holds(event)) return;
    event.preventDefault();
    root.classList.add("over");
  });
  addEventListener("dragleave", (event) => event.relatedTarget === null && root.classList.remove("over"));
  addEventListener("drop", (event) => {
    root.classList.remove("over");
    if (!holds(event)) return;
    event.preventDefault();
    take(event.dataTransfer!.files);
  });
  const input = byId<HTMLInputElement>("file");
  input.addEventListener("change", () => {
    if (input.files !== null) take(input.files);
    input.value = "";
  });
}

function take(list: FileList): void {
  const given = [...list].map((source) => ({ name: source.name, source }));
  if (given.length > 0) void open(given, null);
}

async function openSample(name: string): Promise<void> {
  say("Loading the sample …");
  try {
    await open([{ name: SAMPLES[name]!.file, source: await fetched(name) }], name);
  } catch (error) {
    fail(error);
  }
}

function start(): void {
  showCliff(cliffs);
  takeDrops();
  fill(byId("samples"), ...Object.entries(SAMPLES).map(([name, { label }]) => h("button.button", { type: "button", onclick: () => (history.replaceState(null, "", `#sample=${name}`), void openSample(name)) }, label)));
  void offerSummarizers();
  showInstall(say);
  byId("compare").addEventListener("click", () => void compare());
  byId("fates-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = byId<HTMLTextAreaElement>("summary").value;
    client.call("fates", { text }).then((fates) => (showFates(fates), say(`${counted(fates.length, "rule")} held against it.`)), fail);
  });
  client.died = () => {
    // its state is gone: what was open is opened anew, once
    if (files.length === 0) return;
    if (++deaths === 1) return void open(files, sample);
    turn++;
    [files, deaths] = [[], 0];
    fail(new Failed(DIED));
  };
  const asked = new URLSearchParams(location.hash.slice(1)).get("sample");
  if (asked !== null && Object.hasOwn(SAMPLES, asked)) void openSample(asked);
}

start();
performance.mark("interactive");
