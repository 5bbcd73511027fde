import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@elwood/platform/system";
import { startScriptedAnthropic, type ScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openScene, type Scene } from "../methods/test-scene.ts";

const DAY_MS = 86_400_000;
const TWO_YEARS_MS = 2 * 365 * DAY_MS;

let model: ScriptedAnthropic;
beforeAll(async () => void (model = await startScriptedAnthropic()));
afterAll(() => model[Symbol.asyncDispose]());

/** The gateway of a home, started while the machine's clock was off by so much. */
function openAt(home: string, offMs: number): Promise<Scene> {
  return openScene(model, { home, clock: { ...systemClock, now: () => systemClock.now() + offMs } });
}

const write = (path: string): [string, unknown] => ["files.file.write", { path, content: `${path}\n` }];

async function wordsOf(scene: Scene, sessionKey: string): Promise<string[]> {
  const { messages } = await scene.call("chat.history", { sessionKey });
  return messages.filter(({ role }) => role === "user").map(({ content }) => JSON.stringify(content));
}

test.each([
  ["ahead", TWO_YEARS_MS],
  ["behind", -TWO_YEARS_MS],
])(
  "a clock that is two years %s, and right again: nothing is lost, nothing runs that was not allowed, and work goes on",
  async (_, offMs) => {
    const home = mkdtempSync(join(tmpdir(), "elwood-clock-"));
    const files = join(home, "files");
    let sessionKey: string;
    let asked: string;
    {
      await using scene = await openAt(home, 0);
      ({ sessionKey } = await scene.run({
        says: "Begin the list.",
        calls: [write("list.txt")],
        decide: () => "allow",
      }));
      const { asks } = await scene.run({
        says: "Something else.",
        calls: [write("waits.txt")],
        decide: () => "wait",
      });
      asked = asks[0]!.approvalId;
      await scene.call("jobs.create", { name: "daily", message: "Look around.", every: "1d" });
    }
    {
      await using scene = await openAt(home, offMs);
      expect(await wordsOf(scene, sessionKey)).toEqual([expect.stringContaining("Begin the list.")]);
      const { approval } = await scene.call("approvals.get", { approvalId: asked });
      expect(approval.decided.status).toBe(offMs > 0 ? "expired" : "pending");
      expect(existsSync(join(files, "waits.txt"))).toBe(false);
      await scene.run({
        sessionKey,
        says: "Go on.",
        calls: [write("while-off.txt")],
        decide: () => "allow",
      });
      expect(readFileSync(join(files, "while-off.txt"), "utf8")).toBe("while-off.txt\n");
      expect((await scene.call("receipts.verify", {})).verdict.status).toBe("intact");
    }
    {
      await using scene = await openAt(home, 0);
      await scene.run({ sessionKey, says: "And on.", calls: [write("after.txt")], decide: () => "allow" });
      expect(await wordsOf(scene, sessionKey)).toEqual(
        ["Begin the list.", "Go on.", "And on."].map((words) => expect.stringContaining(words)),
      );
      expect(readFileSync(join(files, "after.txt"), "utf8")).toBe("after.txt\n");
      expect(existsSync(join(files, "waits.txt"))).toBe(false);
      const { sessions } = await scene.call("sessions.list", {});
      expect(sessions.map((each) => each.sessionKey)).toContain(sessionKey);
      const { job } = await scene.call("jobs.get", { name: "daily" });
      expect(job.next[0]!.at - systemClock.now()).toBeLessThanOrEqual(DAY_MS);
      expect((await scene.call("receipts.verify", {})).verdict.status).toBe("intact");
    }
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  },
);
