// The summarizers by name, for the page: what runs them is in the worker.

export type SummarizerName = "drifting" | "destructive" | "extractive" | "browser";

/** What each is, in the page's words. */
export const SUMMARIZERS: Readonly<Record<SummarizerName, { label: string; about: string }>> = {
  drifting: { label: "Drifting", about: "A scripted model that keeps what sounds like a rule and softens it a little each round, as measured models do." },
  destructive: { label: "Destructive", about: "The worst case: it answers “Work went on.”, whatever it is given." },
  extractive: { label: "Extractive", about: "The built-in summarizer: every sentence is one of the source, chosen without a model." },
  browser: { label: "This browser’s model", about: "The summarizer that this browser brings. It runs on this device." },
};
