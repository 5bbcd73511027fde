import { describe, expect, test } from "vitest";
import type { Block, Message } from "../message/message.ts";
import { planCut, planCuts, planOutputs } from "./plan.ts";

const tokens = ({ blocks }: Message) =>
  blocks.reduce((sum, block) => sum + ("text" in block ? block.text.length : 1), 0);

describe("EL-5: for any conversation", () => {
  test("a cut splits no pair, keeps the owner's last word, and what stays fits", () => {
    for (const seed of seeds(200)) {
      const random = chance(seed);
      const messages = anyConversation(random);
      const before = messages.findLastIndex(({ role }) => role === "user");
      const keepTokens = Math.floor(random() * 400);
      const cut = planCut({ messages, tokens, keepTokens, before });
      expect(cut).toBeLessThanOrEqual(before);
      expect(openCalls(messages.slice(0, cut))).toEqual([]);
      expect(messages[cut]?.role).not.toBe("tool");
      expect(messages[cut]?.origin).not.toBe("recalled");
      // It fits, or all that may be covered is.
      const stays = messages.slice(cut).reduce((sum, message) => sum + tokens(message), 0);
      const later = Array.from({ length: before - cut }, (_, i) => cut + 1 + i);
      const better = later.some(
        (at) => openCalls(messages.slice(0, at)).length === 0 && isStart(messages[at]!),
      );
      expect(stays <= keepTokens || !better).toBe(true);
    }
  });

  test("a second cut right after the first covers nothing more", () => {
    for (const seed of seeds(100)) {
      const random = chance(seed);
      const messages = anyConversation(random);
      const before = messages.findLastIndex(({ role }) => role === "user");
      const keepTokens = 50 + Math.floor(random() * 400);
      const cut = planCut({ messages, tokens, keepTokens, before });
      const left = messages.slice(cut);
      expect(planCut({ messages: left, tokens, keepTokens, before: before - cut })).toBe(0);
    }
  });

  test("output of the last answer and of the newest messages stays", () => {
    for (const seed of seeds(200)) {
      const random = chance(seed);
      const messages = anyConversation(random);
      const keepTokens = Math.floor(random() * 300);
      const input = {
        messages,
        tokens,
        keepTokens,
        tokensMin: 20,
        already: new Set<string>(),
        inUse: new Set<string>(),
      };
      const reads = new Set(["a.page.read"]);
      const left = planOutputs({ ...input, reads, all: false });
      const ids = new Set(left.map(({ callId }) => callId));
      const calls = messages.flatMap(({ blocks }) => blocks.filter((b) => b.type === "tool_use"));
      const last = messages.findLast(({ blocks }) => blocks.some(({ type }) => type === "tool_use"));
      for (const block of last?.blocks ?? [])
        if (block.type === "tool_use") expect(ids).not.toContain(block.callId);
      for (const id of ids) expect(calls.find(({ callId }) => callId === id)?.toolId).toBe("a.page.read");
      let newest = 0;
      for (const message of messages.toReversed()) {
        const results = message.blocks.flatMap((b) => (b.type === "tool_result" ? [b.callId] : []));
        if (newest < keepTokens) for (const id of results) expect(ids).not.toContain(id);
        newest += tokens(message);
      }
      expect(planOutputs({ ...input, reads, all: false, already: ids })).toEqual([]);
      for (const callId of ids)
        expect(planOutputs({ ...input, reads, all: false, inUse: new Set([callId]) })).toEqual(
          left.filter((each) => each.callId !== callId),
        );
      const all = planOutputs({ ...input, reads, all: true });
      expect(all.length).toBeGreaterThanOrEqual(left.length);
      expect(all.filter(({ again }) => again)).toEqual(left);
    }
  });
});

test("results that were not seen yet are cut to one level, the largest first, and enough is saved", () => {
  const calls = [4_000, 3_000, 100].map((size, i) => ({ size, callId: `c${i}` }));
  const messages: Message[] = [
    said("u", "user", "x"),
    {
      id: "a",
      ts: 0,
      role: "assistant",
      origin: "model",
      blocks: calls.map(({ callId }) => ({ type: "tool_use", callId, toolId: "a.page.read", input: {} })),
    },
    ...calls.map(({ callId, size }): Message => {
      const block: Block = { type: "tool_result", callId, status: "ok", text: "x".repeat(size) };
      return { id: callId, ts: 0, role: "tool", origin: "tool", blocks: [block] };
    }),
  ];
  const reads = new Set(["a.page.read"]);
  const cuts = planCuts({ messages, tokens, excess: 3_500, reads });
  expect(cuts.map(({ callId, again }) => [callId, again])).toEqual([
    ["c0", true],
    ["c1", true],
  ]);
  expect(cuts[0]!.chars).toBe(cuts[1]!.chars);
  const saved = 7_000 - cuts.reduce((sum, { chars }) => sum + chars!, 0);
  expect(saved).toBeGreaterThanOrEqual(3_500);
  expect(saved).toBeLessThan(3_800);
  expect(planCuts({ messages, tokens, excess: 0, reads })).toEqual([]);
  expect(planCuts({ messages, tokens, excess: 50_000, reads }).every(({ chars }) => chars! > 0)).toBe(true);
});

test("it is rather cut where the owner began to speak", () => {
  const messages = [...turn("1", 50), ...turn("2", 50), ...turn("3", 50), ...turn("4", 50)];
  const before = 6;
  expect(planCut({ messages, tokens, keepTokens: 270, before })).toBe(4);
  expect(planCut({ messages, tokens, keepTokens: 310, before })).toBe(2);
});

test("with the owner's last message alone there is nothing to cover", () => {
  const [first] = turn("1", 500);
  expect(planCut({ messages: [first!], tokens, keepTokens: 10, before: 0 })).toBe(0);
});

function turn(id: string, size: number): Message[] {
  return [said(`${id}u`, "user", "x".repeat(size)), said(`${id}a`, "assistant", "y".repeat(size))];
}

function said(id: string, role: "user" | "assistant", text: string): Message {
  const origin = role === "user" ? "owner" : "model";
  return { id, ts: 0, role, origin, blocks: [{ type: "text", text }] };
}

/** Turns with or without calls, side by side or one after the other; some break off without their results. */
function anyConversation(random: () => number): Message[] {
  const messages: Message[] = [];
  const size = () => "x".repeat(1 + Math.floor(random() * 60));
  let calls = 0;
  for (let turns = 1 + Math.floor(random() * 8); turns > 0; turns--) {
    messages.push(said(`m${messages.length}`, "user", size()));
    if (random() < 0.3) messages.push({ ...said(`m${messages.length}`, "user", size()), origin: "recalled" });
    for (let laps = Math.floor(random() * 4); laps > 0; laps--) {
      const asked: Block[] = Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
        type: "tool_use",
        callId: `c${(calls += 1)}`,
        toolId: random() < 0.6 ? "a.page.read" : "a.page.write",
        input: {},
      }));
      messages.push({ id: `m${messages.length}`, ts: 0, role: "assistant", origin: "model", blocks: asked });
      for (const call of asked) {
        if (call.type !== "tool_use" || random() < 0.05) continue;
        const result: Block = { type: "tool_result", callId: call.callId, status: "ok", text: size() };
        messages.push({ id: `m${messages.length}`, ts: 0, role: "tool", origin: "tool", blocks: [result] });
      }
    }
    if (random() < 0.9) messages.push(said(`m${messages.length}`, "assistant", size()));
  }
  return messages;
}

/** Calls whose result stands behind this point; one that was given up when somebody spoke has none. */
function openCalls(messages: readonly Message[]): string[] {
  const open = new Set<string>();
  for (const { role, blocks } of messages) {
    if (role === "user") open.clear();
    for (const block of blocks) {
      if (block.type === "tool_use") open.add(block.callId);
      else if (block.type === "tool_result") open.delete(block.callId);
    }
  }
  return [...open];
}

function isStart({ role, origin }: Message): boolean {
  return role !== "tool" && origin !== "recalled";
}

function seeds(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}

function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
