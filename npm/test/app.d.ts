import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { Model } from "@openai/agents";
import type { LanguageModel, ModelMessage, ToolSet } from "ai";

export const model: LanguageModel;
export const small: LanguageModel;
export const tools: ToolSet;
export const messages: ModelMessage[];
export const agentModel: Model;
export const chatModel: BaseChatModel;
