import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transcriptLineSchema } from "@elwood/core/message/message";
import { expect, onTestFinished, test } from "vitest";
import { writeEarlierTurns } from "./earlier-turns.ts";

test("earlier conversations are written as the gateway would have left them, turn by turn", () => {
  const home = mkdtempSync(join(tmpdir(), "elwood-earlier-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  writeEarlierTurns(home, 130);
  const folder = join(home, "sessions/default");
  const lines = readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), "utf8").trimEnd().split("\n"),
  );
  expect(readdirSync(folder)).toHaveLength(3);
  expect(lines).toHaveLength(130);
  for (const line of lines) expect(transcriptLineSchema.safeParse(JSON.parse(line)).success).toBe(true);
});
