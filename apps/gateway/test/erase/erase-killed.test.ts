import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { forgetScene, holders } from "./test-scene.ts";

const FORGETTER = fileURLToPath(new URL("./test-killed-eraser.ts", import.meta.url));

/** Two conversations about a thing, a note, a fork and a search, made once. */
let template: string;
let sessionKey: string;
let runId: string;

beforeAll(async () => {
  template = mkdtempSync(join(tmpdir(), "elwood-forget-"));
  const { owner, say, session, close } = await forgetScene({ home: template });
  sessionKey = await session();
  await say(sessionKey, "My tortoise Methuselah eats dandelions on Sundays");
  await say(sessionKey, "The weather is fine today");
  const { runs } = await owner.call("runs.list", { sessionKey });
  runId = runs.at(-1)!.runId;
  await owner.call("sessions.fork", { sessionKey, runId: runs[0]!.runId, include: true });
  await owner.call("memory.save", { key: "pets", content: "- Tortoise: Methuselah\n- Cat: Minka\n" });
  const other = await session();
  await say(other, "what do you remember about Minka");
  await close();
  return () => rmSync(template, { recursive: true, force: true });
});

const POINTS: readonly [what: "word" | "turn" | "session", point: string][] = [
  ["word", "begin:1:after"],
  ["word", "rewrite:1"],
  ["word", "rewrite:2"],
  ["word", "erase:1:before"],
  ["word", "erase:1:after"],
  ["word", "scour:1:before"],
  ["word", "done:1:before"],
  ["word", "done:1:after"],
  ["turn", "rewrite:1"],
  ["turn", "erase:1:before"],
  ["turn", "done:1:before"],
  ["session", "remove"],
  ["session", "erase:1:after"],
];

test.each(POINTS)("killed while forgetting a %s at %s, the next start finishes it", async (what, point) => {
  const home = mkdtempSync(join(tmpdir(), "elwood-forget-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));
  cpSync(template, home, { recursive: true });
  const params = {
    word: { word: "Methuselah" },
    turn: { turn: { sessionKey, runId } },
    session: { session: sessionKey },
  }[what];
  const gone = { word: "methuselah", turn: "dandelions on sundays", session: "dandelions on sundays" }[what];
  expect(holders(home, gone)).not.toEqual([]);
  const killed = spawnSync(process.execPath, [FORGETTER, home, JSON.stringify(params), point], {
    encoding: "utf8",
    timeout: 60_000,
  });
  expect(killed.signal, killed.stderr).toBe("SIGKILL");

  const { owner, close } = await forgetScene({ home });
  onTestFinished(close);
  await expect.poll(async () => (await owner.call("memory.status", {})).forgetting).toBe(0);
  await close();
  expect(holders(home, gone)).toEqual([]);
  const again = await forgetScene({ home });
  onTestFinished(again.close);
  expect(await again.owner.call("receipts.verify", {})).toMatchObject({ verdict: { status: "intact" } });
  const { receipts } = await again.owner.call("receipts.list", { types: ["memory.forgotten"] });
  expect(receipts).toHaveLength(1);
  const left = await again.owner.call("memory.search", { query: "weather" });
  if (what !== "session") expect(left.hits.map(({ text }) => text)).toContain("The weather is fine today");
  if (what !== "word")
    expect((await again.owner.call("memory.show", { key: "pets" })).note?.text).toContain("Methuselah");
});
