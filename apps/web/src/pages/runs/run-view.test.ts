import { execFileSync } from "node:child_process";
import type { WireMessage } from "@elwood/core/protocol/shapes";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { commandFor, saidIn } from "./run-view.ts";

const message = (of: Partial<WireMessage>): WireMessage => ({
  id: "m",
  runId: "run_1",
  ts: 0,
  role: "user",
  origin: "owner",
  content: "",
  blocks: [],
  ...of,
});

test("what is said again is what the owner said, with all that came with it, each by its origin", () => {
  const messages = [
    message({ runId: "run_0", blocks: [{ type: "text", text: "another run" }] }),
    message({ origin: "recalled", blocks: [{ type: "text", text: "from memory" }] }),
    message({
      blocks: [
        { type: "text", text: "look at this" },
        { type: "text", text: "a log", origin: "piped" },
        { type: "image", mime: "image/png", blobId: "blob_1", name: "shot.png" },
      ],
    }),
  ];
  expect(saidIn(messages, "run_1")).toEqual({
    message: "look at this",
    parts: [
      { kind: "text", text: "a log", origin: "piped" },
      { kind: "blob", blobId: "blob_1", name: "shot.png", origin: "attached" },
    ],
  });
  expect(saidIn(messages, "run_2")).toBeUndefined();
});

test("a message with a file has no command, since the command line cannot attach one", () => {
  const parts = [{ kind: "blob", blobId: "b", origin: "attached" } as const];
  expect(commandFor({ message: "see", parts }, "ses_1")).toBeUndefined();
  expect(commandFor({ message: "see" }, "ses_1")).toBe("elwood --session ses_1 -- see");
  expect(commandFor({ message: "see", parts: [{ kind: "text", text: "it's", origin: "piped" }] }, "s")).toBe(
    "printf %s 'it'\\''s' | elwood --session s -- see",
  );
});

test("whatever a message holds, a shell hands it on as it is, and runs nothing of it", () => {
  fc.assert(
    fc.property(
      fc
        .array(
          fc.constantFrom("'", '"', "$(exit 3)", "`id`", "\\", "\n", "; exit 4", " ", "--help", "é", "$HOME"),
        )
        .map((parts) => parts.join(""))
        .filter((text) => text !== ""),
      (text) => {
        const command = commandFor({ message: text }, "ses_1") ?? "";
        const out = execFileSync("/bin/sh", ["-c", `elwood() { printf %s "$4"; }; ${command}`]);
        expect(out.toString()).toBe(text);
      },
    ),
    { numRuns: 40 },
  );
});
