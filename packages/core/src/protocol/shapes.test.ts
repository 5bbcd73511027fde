import { describe, expect, test } from "vitest";
import { failure } from "../base/failure.ts";
import { NO_USAGE } from "../message/message.ts";
import type { Run, Session } from "../message/session.ts";
import {
  toWireMessage,
  toWireRun,
  toWireSession,
  wireMessageSchema,
  wireRunSchema,
  wireSessionSchema,
} from "./shapes.ts";

const session: Session = {
  id: "ses_1",
  agentId: "assistant",
  title: "Hello",
  titledBy: "owner",
  pinned: true,
  createdAt: 1,
  updatedAt: 2,
  messageCount: 3,
  preview: "hello",
  model: "demo/scripted",
  system: "Answer in rhymes.",
  temperature: 0.5,
  topP: 0.9,
  tools: false,
  pins: ["run_1"],
  deletedAt: 4,
};

const run: Run = {
  id: "run_1",
  sessionId: "ses_1",
  status: "failed",
  surface: "cli",
  modelAsked: "demo",
  model: "demo/scripted",
  attempt: 2,
  queuedAt: 1,
  startedAt: 2,
  endedAt: 3,
  stopReason: "end_turn",
  failure: failure("TIMEOUT", "Too slow.", { retryAfterMs: 5 }),
  usage: NO_USAGE,
  costUsd: 0,
  laps: 1,
  calls: 0,
  committed: false,
};

/** Strict, so that a field that the schema does not know is noticed here. */
describe("what goes over the wire is what the schemas promise", () => {
  test("a session, under its key", () => {
    const wire = toWireSession(session);
    expect(wireSessionSchema.strict().parse(wire)).toEqual(wire);
    expect(wire).toMatchObject({ sessionKey: "ses_1", deletedAt: 4 });
  });

  test("a run, without what is nobody's business outside", () => {
    const wire = toWireRun(run);
    expect(wireRunSchema.strict().parse(wire)).toEqual(wire);
    expect(wire).toMatchObject({ runId: "run_1", sessionKey: "ses_1" });
    expect(Object.keys(wire)).not.toContain("committed");
  });

  test("a message, with its readable text beside its blocks", () => {
    const wire = toWireMessage("run_1", {
      id: "msg_1",
      ts: 1,
      role: "user",
      origin: "owner",
      blocks: [{ type: "text", text: "hello" }],
      meta: { surface: "cli" },
    });
    expect(wireMessageSchema.strict().parse(wire)).toEqual(wire);
    expect(wire).toMatchObject({ runId: "run_1", content: "hello" });
  });
});
