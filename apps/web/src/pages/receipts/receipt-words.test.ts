import { RECEIPT_TYPES } from "@elwood/core/receipts/receipt";
import { expect, test } from "vitest";
import { toldReceipt, typeWords } from "./receipt-words.ts";

type Receipt = Parameters<typeof toldReceipt>[0];

function told(type: string, payload: object = {}, target?: string) {
  const receipt = { id: "rcp_1", seq: 94, type, ts: 0, actor: "owner", surface: "cli", payload };
  return toldReceipt(receipt as unknown as Receipt, { about: target });
}

test("a receipt is told in words; what the log calls it is left to who hovers", () => {
  expect(told("tool.call.succeeded", { toolId: "files.file.write" }, "shopping.txt")).toEqual({
    words: "Wrote shopping.txt",
    state: "done",
    tone: "ok",
    details: "#94 · tool.call.succeeded · files.file.write · terminal",
  });
  expect(told("tool.call.denied", { toolId: "files.file.delete" }, "a.txt")).toMatchObject({
    words: "Delete a.txt",
    state: "denied",
    tone: "bad",
  });
  expect(told("tool.call.succeeded", { toolId: "shell.command.run", exitCode: 6 }, "make")).toMatchObject({
    words: "Ran a command: make",
    state: "ended with code 6",
    tone: "warn",
  });
  expect(told("run.finished", { status: "aborted" })).toMatchObject({
    words: "Run ended",
    state: "cancelled",
  });
  expect(told("token.created", { name: "home dashboard" }).words).toBe("New login or token: home dashboard");
  expect(told("token.created", { name: "Firefox", publicKey: "k" }).words).toBe(
    "New device that stays logged in: Firefox",
  );
  expect(told("settings.changed", { keys: ["limits.dayCostUsd", "not.known"] }).words).toBe(
    "Settings changed: Daily budget, not.known",
  );
  expect(told("policy.changed", { runsStopped: 2 }).words).toBe("Everything was stopped");
  expect(told("policy.changed", { hash: "h" }).words).toBe("Rules changed");
  const first = { id: "rcp_1", seq: 1, type: "policy.changed", ts: 0, actor: "owner", surface: "config" };
  expect(toldReceipt({ ...first, payload: { hash: "h" } } as unknown as Receipt).words).toBe(
    "Rules at the first start",
  );
  expect(told("memory.recalled", { count: 3 }).words).toBe("Looked into memory: 3 found");
  expect(told("reply.grounded", { marks: [{}] }).words).toBe("Reply checked: 1 not verified");
});

test("every kind of receipt has words of its own", () => {
  const words = RECEIPT_TYPES.map((type) => typeWords(type));
  expect(words.filter((each) => /\w\.\w/.test(each))).toEqual([]);
  expect(new Set(words).size).toBe(words.length);
});
