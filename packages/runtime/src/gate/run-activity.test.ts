import { createHash } from "node:crypto";
import { commitment, type StoredReceipt } from "@elwood/core/receipts/receipt";
import { expect, test } from "vitest";
import type { CallRow } from "../ports/gate-ports.ts";
import { runActivity } from "./run-activity.ts";

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");
const salt = "00".repeat(16);

function scene(row: { target: string }, body: boolean) {
  const receipt: StoredReceipt = {
    v: 1,
    tenant: "default",
    seq: 1,
    id: "rcp_1",
    runId: "run_1",
    callId: "call_1",
    type: "tool.call.requested",
    ts: 1,
    actor: "model",
    surface: "test",
    payload: {
      toolId: "mail.message.send",
      risk: "write",
      contractHash: "contract",
      inputHash: "commit",
      inputCommit: "commit",
      idempotencyKey: "key",
      targetCommit: commitment(salt, "bob@example.test", sha256),
    },
    prevHash: "",
    hash: "",
  };
  return runActivity(
    {
      receipts: async (_tenant, { before }) => (before === 1 ? [] : [receipt]),
      callsOfRun: async () => [{ callId: "call_1", ...row } as CallRow],
      approval: async () => undefined,
      salts: async () => new Map(body ? [["commit", salt]] : []),
    },
    "default",
    "run_1",
    sha256,
  );
}

test("what a call was about is told where its receipt commits to it", async () => {
  expect((await scene({ target: "bob@example.test" }, true))[0]?.target).toBe("bob@example.test");
});

test("a row that says something else than the receipt is not believed", async () => {
  const [item] = await scene({ target: "alice@example.test" }, true);
  expect(item).toMatchObject({ toolId: "mail.message.send", status: "pending" });
  expect(item).not.toHaveProperty("target");
});

test("once the content was forgotten, nothing says any more what the call was about", async () => {
  expect((await scene({ target: "bob@example.test" }, false))[0]).not.toHaveProperty("target");
});
