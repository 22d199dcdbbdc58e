import { generateText, type LanguageModel } from "ai";
import type { Summarizer } from "standfast";

/** A summarizer that asks a model of the AI SDK. */
export function summarize(model: LanguageModel): Summarizer {
  return async (request, { signal }) => {
    // a summary may be a quarter over its budget; the rest is room for what a model thinks
    const { text, finishReason } = await generateText({ model, prompt: request.prompt, maxOutputTokens: 4 * request.budgetTokens, abortSignal: signal });
    return { text, finishReason };
  };
}
