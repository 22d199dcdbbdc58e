// The smaller parts of the page: the pinned block, the review queue, fates of a pasted summary, install lines.

import type { Fate } from "standfast";
import type { Client } from "./client.js";
import { byId, counted, fill, h } from "./dom.js";
import type { Played } from "./protocol.js";
import { ruleRow } from "./verdict.js";

/** The pinned block and its digest. */
export function showPinned({ pinned, digest, rounds }: Pick<Played, "pinned" | "digest"> & { rounds: readonly { digest: string }[] }): void {
  const block = byId("pinned");
  block.textContent = pinned === "" ? "No rules, no block." : pinned;
  let same = 1;
  while (same < rounds.length && rounds[rounds.length - 1 - same]?.digest === rounds.at(-1)?.digest) same++;
  const unchanged = rounds.length === 0 ? "" : same > 1 ? ` Unchanged through the last ${counted(same, "compaction")}; it changes only with the rules.` : " It changes only with the rules, never with a summary.";
  fill(byId("pinned-note"), "These bytes stand in the system prompt of every request, the same in Python and JavaScript. SHA-256 ", h("span.digest", {}, digest), `.${unchanged}`);
}

const REVIEWS: Readonly<Record<string, string>> = {
  held: "From a tool or a file",
  promotion_overflow: "A rule for which there was no room",
  lookalike: "Looks like another rule",
  loosened: "The user loosened a rule",
  loosening: "The user wants to loosen a rule",
  unclear_change: "May replace an older rule",
};

/** What waits for a person. */
export function showReview(played: Played, client: Client, say: (text: string) => void, fail: (error: unknown) => void): void {
  const list = byId("review");
  const show = (review: Played["review"]): void => {
    if (review.length === 0) return fill(list, h("p.note", {}, "Nothing waits."));
    fill(
      list,
      ...review.slice(0, 50).map(({ handle, kind, text, source, turn }) => {
        const decide = (verdict: "approve" | "reject", word: string): HTMLElement =>
          h("button.button", { type: "button", onclick: () => void decided(handle, verdict) }, word, h("span.visually-hidden", {}, `: ${text.slice(0, 80)}`));
        return h(
          "div.review-row",
          {},
          h("div", {}, h("blockquote", {}, text.slice(0, 600)), h("p.note", {}, `${REVIEWS[kind] ?? kind} · ${source} · turn ${turn}`)),
          h("p.row", {}, decide("approve", "Make it a rule"), decide("reject", "It is only text")),
        );
      }),
      review.length > 50 && h("p.note", {}, `and ${counted(review.length - 50, "more")}`),
    );
  };
  const decided = async (handle: string, verdict: "approve" | "reject"): Promise<void> => {
    try {
      const { review, pinned, digest } = await client.call("review", { handle, verdict });
      show(review);
      showPinned({ pinned, digest, rounds: [] });
      say(verdict === "approve" ? "It is a rule now and stands in the pinned block." : "It is ordinary text now.");
    } catch (error) {
      fail(error);
    }
  };
  show(played.review);
}

/** Fates of the rules in a text. */
export function showFates(fates: readonly Fate[]): void {
  const list = byId("fates");
  if (fates.length === 0) return fill(list, h("li.note", {}, "There is no rule to look for."));
  fill(
    list,
    ...fates.map(({ rule, kind, detail, evidence }) => {
      const kept = kind === "preserved" || kind === "paraphrased";
      const row = ruleRow({ text: rule, lost: kept || kind === "unverifiable" ? null : 1, unknown: kind === "unverifiable", kind, evidence: "", track: [] });
      const [when, body] = [row.firstElementChild!, row.lastElementChild!];
      fill(when, h("strong", {}, kind), detail ?? "");
      body.querySelector(".evidence")?.remove();
      body.append(evidence === "" ? h("p.evidence", {}, "Nothing in it says so.") : h("p.evidence", {}, "It says: ", h("q", {}, evidence)));
      return row;
    }),
  );
}

/** Three lines each. */
const INSTALL: readonly (readonly [label: string, lines: string])[] = [
  ["LangChain", 'pip install "standfast[langchain]"\nfrom standfast.langchain import Standfast\nagent = create_agent(model, tools, middleware=[Standfast(rules="AGENTS.md")])'],
  ["AI SDK", 'npm install standfast\nimport { standfast } from "standfast/ai-sdk";\nconst sf = await standfast({ id, rules, windowTokens: 200_000 }); // sf.model(model), sf.prepareStep'],
  ["OpenAI Agents", 'npm install standfast\nimport { standfast } from "standfast/openai-agents";\nconst sf = await standfast({ id, rules, windowTokens: 200_000 }); // run(agent, input, sf.options({ session }))'],
  ["LangChain.js", 'npm install standfast\nimport { standfast } from "standfast/langchain";\nconst agent = createAgent({ model, tools, middleware: [standfast({ rules, windowTokens: 200_000 })] });'],
  ["Python", "pip install standfast\nguard = standfast.Guard(window_tokens=200_000)\nwindow = guard.maybe_compact(summarizer) or guard.window()"],
  ["JavaScript", 'npm install standfast\nconst guard = new Guard({ windowTokens: 200_000 });\nconst window = (await guard.maybeCompact(summarizer)) ?? guard.window();'],
];

export function showInstall(say: (text: string) => void): void {
  const [block, copy] = [byId("install"), byId("install-copy")];
  const show = (lines: string): void => {
    block.textContent = lines;
  };
  choices("frameworks", INSTALL.map(([label]) => ({ value: label, label })), (label) => show(INSTALL.find(([name]) => name === label)![1]));
  show(INSTALL[0]![1]);
  copy.addEventListener("click", () => {
    navigator.clipboard.writeText(block.textContent ?? "").then(
      () => say("Lines copied."),
      () => say("This browser does not let the page copy."),
    );
  });
}

/** Radio buttons of a fieldset; the first is chosen. */
export function choices<T extends string>(id: string, given: readonly { value: T; label: string }[], chosen: (value: T) => void, checked: T | undefined = given[0]?.value): void {
  const set = byId(id);
  set.querySelectorAll("label").forEach((label) => label.remove());
  for (const { value, label } of given) {
    const input = h("input", { type: "radio", name: id, value, checked: value === checked, onchange: () => chosen(value) });
    set.append(h("label", {}, input, label));
  }
}
