import type { EventData } from "@elwood/core/protocol/events";
import type { WireRun } from "@elwood/core/protocol/shapes";
import type { Push } from "@elwood/sdk/client";
import { countText, moneyText } from "../../parts/format.ts";
import { withoutMarks } from "../../parts/markdown/mark-sign.ts";
import { tokensOf, type KeptReply, type ShownCall } from "./reply-parts.ts";
import type { Turn } from "./turn.ts";

/** The answer's own words, without what led to it and without the gateway's marks. */
export function answerOf({ parts, text }: Pick<Turn, "parts" | "text">): string {
  const said = parts.map((part) => (part.kind === "text" && !part.isPreamble ? part.text : ""));
  const marked = [...said, text].filter((each) => each !== "").join("\n\n");
  return withoutMarks(marked);
}

export type RunPush = Extract<Push, { data: { seq: number } }>;

/** Pushes of a run are numbered. */
export function isOfRun(push: Push): push is RunPush {
  return "seq" in push.data;
}

export function callOf({ callId, tool, parent }: EventData<"tool.started">): Omit<ShownCall, "status"> {
  return { callId, tool, ...(parent === undefined ? {} : { parent }) };
}

/** For a turn whose run is not known here, such as one that was copied into a branch. */
export function keptFacts({ model, tokens }: KeptReply): string[] {
  return [
    ...(model === undefined ? [] : [named(model)]),
    ...(tokens > 0 ? [countText(tokens, "token")] : []),
  ];
}

/** What a run was answered by, and what it took in all, tries that failed included. */
export function factsOf({ model, usage, costUsd }: Pick<WireRun, "model" | "usage" | "costUsd">): string[] {
  const facts = model === undefined || model === "" ? [] : [named(model)];
  const tokens = tokensOf(usage);
  if (tokens > 0) facts.push(countText(tokens, "token"));
  if (costUsd !== undefined && model !== undefined && !isDemo(model))
    facts.push(`${moneyText(costUsd)} estimated`);
  return facts;
}

function named(model: string): string {
  return isDemo(model) ? "demo model" : model;
}

function isDemo(model: string): boolean {
  return model.startsWith("demo/");
}
