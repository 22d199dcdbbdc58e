import { jsonSchema, tool, type Tool } from "ai";
import type { BoundaryName, Guard } from "standfast";
import { RECALL_ABOUT, RECALL_SCHEMA, recallText, type RecallInput } from "./recall.js";

/** A tool that reads originals. */
export function recallTool(guard: () => Guard): Tool {
  return tool({
    description: RECALL_ABOUT,
    inputSchema: jsonSchema<RecallInput>(RECALL_SCHEMA as never),
    execute: (input) => recallText(guard(), input),
  }) as Tool;
}

/** Seams an agent can tell of itself. */
const SEAMS: readonly BoundaryName[] = ["task_completed", "subgoal_closed", "plan_revised"];

/** A tool that reports a seam. */
export function boundaryTool(report: (name: BoundaryName) => void): Tool {
  const schema = { type: "object", properties: { seam: { type: "string", enum: SEAMS } }, required: ["seam"], additionalProperties: false };
  return tool({
    description: "Say when a part of the work is done, before the next one begins.",
    inputSchema: jsonSchema<{ seam: BoundaryName }>(schema as never),
    execute: ({ seam }) => {
      report(seam);
      return "noted";
    },
  }) as Tool;
}
