import type { Block } from "@elwood/core/message/message";
import type { ModelEvent, ModelRequest } from "@elwood/core/model/model";
import { seededRandom } from "./fixed-ids.ts";

const USAGE = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
const LAPS_MAX = 3;
const CALLS_MAX = 3;

/**
 * A model whose every answer follows from the seed and from what it is shown, as a real
 * one's follows from its prompt: asked again after a restart, it says the same.
 */
export async function* simulatedAnswer(
  request: ModelRequest,
  seed: number,
  toolIds: readonly string[],
): AsyncIterable<ModelEvent> {
  const asked = request.messages.findLastIndex((message) => message.role === "user");
  const since = request.messages.slice(asked + 1);
  const laps = since.filter((message) => message.blocks.some((block) => block.type === "tool_use")).length;
  const chance = seededRandom(mixed(seed, `${request.cacheKey} ${asked} ${laps}`));
  for (let i = 0; i < 3; i++) chance();
  if (laps >= LAPS_MAX || (laps > 0 && chance() < 0.4)) {
    const text = `Done after ${laps}.`;
    yield { type: "text", text };
    yield {
      type: "done",
      stopReason: "end_turn",
      blocks: [{ type: "text", text }],
      usage: USAGE,
      model: "m",
    };
    return;
  }
  const count = 1 + Math.floor(chance() * CALLS_MAX);
  const blocks: Block[] = Array.from({ length: count }, (_, i) => ({
    type: "tool_use",
    callId: `p${i}`,
    toolId: chance() < 0.03 ? "sim.missing.do" : toolIds[Math.floor(chance() * toolIds.length)]!,
    input: inputOf(`${request.cacheKey}/${asked}/${laps}/${i}`, chance()),
  }));
  yield { type: "done", stopReason: "tool_use", blocks, usage: USAGE, model: "m" };
}

function inputOf(name: string, luck: number): unknown {
  if (luck < 0.05) return { bad: name };
  return { question: "Which?", name, key: `secret-${Math.floor(luck * 1_000_000)}` };
}

/** A number of 32 bits that depends on every character. */
export function mixed(seed: number, text: string): number {
  let state = seed >>> 0;
  for (const char of text) state = Math.imul(state ^ char.charCodeAt(0), 0x01000193) >>> 0;
  return state;
}
