// What the README's snippets call the host's own: models that answer without a network.

import { Usage } from "@openai/agents";
import * as testing from "ai/test";
import { FakeListChatModel } from "@langchain/core/utils/testing";

const usage = { inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 5, text: 5, reasoning: 0 } };
const finishReason = { unified: "stop", raw: "stop" };

function answering(text) {
  return new testing.MockLanguageModelV3({
    doGenerate: async () => ({ content: [{ type: "text", text }], finishReason, usage, warnings: [] }),
    doStream: async () => ({
      stream: new ReadableStream({
        start(controller) {
          for (const part of [{ type: "stream-start", warnings: [] }, { type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: text }, { type: "text-end", id: "1" }, { type: "finish", finishReason, usage }]) {
            controller.enqueue(part);
          }
          controller.close();
        },
      }),
    }),
  });
}

export const model = answering("Batch 7 is settled.");
export const small = answering("Batches were settled.");
export const tools = {};
export const messages = [{ role: "user", content: "Look at batch 7." }];
export const agentModel = {
  getResponse: async () => ({
    usage: new Usage({ requests: 1, inputTokens: 10, outputTokens: 5, totalTokens: 15 }),
    output: [{ type: "message", role: "assistant", id: "m1", status: "completed", content: [{ type: "output_text", text: "Batch 7 is settled." }] }],
  }),
  async *getStreamedResponse() {},
};
export const chatModel = new FakeListChatModel({ responses: ["Batch 7 is settled."] });
