// The summarizers by name, for the page: what runs them is in the worker.

export type SummarizerName = "drifting" | "destructive" | "extractive" | "browser";

/** What each is, in the page's words. */
export const SUMMARIZERS: Readonly<Record<SummarizerName, { label: string; about: string }>> = {
  drifting: { label: "Drifting", about: "A scripted model that softens half of the rules each round. A production prompt was measured to keep 53 % of them after one round and 10 % after five." },
  destructive: { label: "Destructive", about: "The worst case: it answers “Work went on.”, whatever it is given." },
  extractive: { label: "Extractive", about: "The built-in summarizer: every sentence is one of the source, chosen without a model." },
  browser: { label: "This browser’s model", about: "The summarizer that this browser brings. It runs on this device." },
};
