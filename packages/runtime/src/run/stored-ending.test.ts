import { EVENTS } from "@elwood/core/protocol/events";
import { failure } from "@elwood/core/base/failure";
import { NO_USAGE, type Message } from "@elwood/core/message/message";
import type { Run } from "@elwood/core/message/session";
import { expect, test } from "vitest";
import { storedEnding } from "./stored-ending.ts";

const run: Run = {
  id: "run_1",
  sessionId: "ses_1",
  status: "done",
  surface: "cli",
  model: "demo/scripted",
  attempt: 2,
  queuedAt: 1,
  stopReason: "end_turn",
  usage: { ...NO_USAGE, outputTokens: 7 },
  costUsd: 0.5,
  laps: 1,
  calls: 0,
  committed: true,
};

function spoken(text: string, origin: Message["origin"]): Message {
  return { id: "msg_1", ts: 1, role: "assistant", origin, blocks: [{ type: "text", text }] };
}

test("a run that is done is told again in the shape of its final push", async () => {
  const { final } = await storedEnding(run, [spoken("Half.", "model"), spoken("Whole.", "model")], [], 9);
  expect(EVENTS["chat.final"]().parse(final)).toMatchObject({
    runId: "run_1",
    seq: 9,
    text: "Whole.",
    usage: { outputTokens: 7 },
    costUsd: 0.5,
    demo: true,
    segments: [{ text: "Whole.", by: "model" }],
    evidence: "",
  });
});

test("a run that was stopped keeps its partial text, and the gateway's own words are not the model's", async () => {
  const steps = [spoken("Half", "model"), spoken("You stopped this run.", "gateway")];
  const { final } = await storedEnding({ ...run, status: "aborted" }, steps, [], 9);
  expect(final).toMatchObject({ text: "Half", aborted: true, stopReason: "aborted" });
});

test("a run that failed is told again in the shape of its error push", async () => {
  const failed: Run = {
    ...run,
    status: "failed",
    failure: failure("OVERLOADED", "Busy.", { retryAfterMs: 5 }),
  };
  const { error } = await storedEnding(failed, [spoken("Half", "model")], [], 9);
  expect(EVENTS["chat.error"]().parse(error)).toMatchObject({
    code: "OVERLOADED",
    message: "Busy.",
    retryable: true,
    retryAfterMs: 5,
    text: "Half",
  });
});

test("a reply in pieces is told again with its marks, the gateway's sentences and where the log stood", async () => {
  const segments = [
    { text: "I sent it.", by: "model" as const, verified: "unsupported" as const, why: "no call did this" },
    { text: "◈ Not done, it failed: send mail.", by: "gateway" as const },
  ];
  const log = { size: 7, root: "ab" };
  const reply = {
    ...spoken("I sent it.", "model"),
    meta: { segments, evidence: "◈ 1 statement is not verified", log },
  };
  const draft = { ...spoken("I sent it.", "model"), meta: { continued: true as const } };
  const { final } = await storedEnding(run, [draft, reply], [], 9);
  expect(EVENTS["chat.final"]().parse(final)).toMatchObject({
    text: "I sent it.",
    segments,
    log,
    evidence: "◈ 1 statement is not verified",
  });
});

test("a reply that was kept while marks were part of its text is told as it was", async () => {
  const text = "It says milk. [✓ c1]";
  const segments = [{ text: "It says milk.", by: "model" as const, cites: ["c1"], verified: true }];
  const { final } = await storedEnding(run, [{ ...spoken(text, "model"), meta: { segments } }], [], 9);
  expect(EVENTS["chat.final"]().parse(final)).toMatchObject({ text, segments: [{ text, by: "model" }] });
});
