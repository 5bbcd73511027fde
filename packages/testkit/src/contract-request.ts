import { LIMITS } from "@elwood/core/base/limits";
import type { Block, Message, Role } from "@elwood/core/message/message";
import type { ModelEvent, ModelRequest, ToolSpec } from "@elwood/core/model/model";
import type { ModelProvider } from "@elwood/runtime/ports/ports";
import { expect } from "vitest";
import { ManualClock } from "./manual-clock.ts";

export type Last = Extract<ModelEvent, { type: "done" | "failed" }>;

/** A request with everything in it that a test does not care about. */
export function requestOf(change: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: "test-model",
    system: "You are a test.",
    messages: [said("user", { type: "text", text: "hello" })],
    tools: [],
    maxOutputTokens: 4_096,
    readBlob: async () => undefined,
    writeBlob: async () => "blob_written",
    signal: new AbortController().signal,
    ...change,
  };
}

export function said(role: Role, ...blocks: Block[]): Message {
  return {
    id: "msg_test",
    ts: 0,
    role,
    origin: role === "user" ? "owner" : role === "tool" ? "tool" : "model",
    blocks,
  };
}

export const READ_TOOL: ToolSpec = {
  toolId: "files.file.read",
  description: "Reads a file.",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};
export const NOW_TOOL: ToolSpec = {
  toolId: "clock.now",
  description: "Tells the time.",
  inputSchema: { type: "object", properties: {} },
};

/** What a provider said, taken apart. Checks on the way that the last event, and only it, is `done` or `failed`. */
export interface Heard {
  readonly events: readonly ModelEvent[];
  readonly last: Last;
  /** Text since the last `retry`. */
  readonly text: string;
  readonly thinking: string;
  readonly retries: readonly Extract<ModelEvent, { type: "retry" }>[];
}

export async function listen(
  provider: ModelProvider,
  request: ModelRequest,
  onEvent: (event: ModelEvent) => void = () => {},
): Promise<Heard> {
  const events: ModelEvent[] = [];
  for await (const event of provider.chat(request)) {
    events.push(event);
    onEvent(event);
  }
  const endings = events.filter((e) => e.type === "done" || e.type === "failed");
  expect(endings, "exactly one done or failed").toHaveLength(1);
  expect(events.at(-1), "and it comes last").toBe(endings[0]);
  const valid = events.slice(events.findLastIndex((e) => e.type === "retry") + 1);
  return {
    events,
    last: endings[0]!,
    text: valid.flatMap((e) => (e.type === "text" ? [e.text] : [])).join(""),
    thinking: valid.flatMap((e) => (e.type === "thinking" ? [e.text] : [])).join(""),
    retries: events.filter((e) => e.type === "retry"),
  };
}

/** A clock on which pauses between tries pass by themselves, while timeouts wait to be reached. */
export function retryingClock(): ManualClock {
  return new ManualClock({
    autoAdvance: (ms) => ms <= LIMITS.modelRetryDelayMaxMs && ms !== LIMITS.modelDrainMs,
  });
}
