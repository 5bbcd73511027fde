import { mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HandModel } from "./hand-model.ts";
import { ownerTasks } from "./owner-task.ts";

/** Waits until a file is in a folder. */
async function comes(folder: string, name: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watcher = watch(folder, (_, changed) => {
    if (changed === name) resolve();
  });
  const there = () => {
    try {
      return readFileSync(join(folder, name), "utf8");
    } catch {
      return undefined;
    }
  };
  if (there() === undefined) await promise;
  watcher.close();
  return there() ?? "";
}

test("whoever watches the folder is the model: requests land there, and answers are taken from there", async () => {
  const folder = mkdtempSync(join(tmpdir(), "elwood-hand-"));
  const model = await HandModel.byHand(folder, (task) => task === 3);
  try {
    const ask = async (messages: readonly object[]) => {
      const body = JSON.stringify({ model: "x", messages, tools: [], stream: false });
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`${model.server.baseUrl}/chat/completions`, {
        method: "POST",
        headers,
        body,
      });
      return JSON.stringify(await answer.json());
    };
    const [hello, , sums] = ownerTasks();
    const owner = { role: "user", content: "sums" };
    model.begin(hello!, (text) => text);
    expect(await ask([{ role: "user", content: "hello" }]), "as recorded").toContain("Hello");

    model.begin(sums!, (text) => text);
    const first = ask([owner]);
    expect(await comes(folder, "req-1.txt")).toContain("[user] sums");
    const program = { name: "program__code__run", input: { source: "return 1" } };
    writeFileSync(join(folder, "ans-1.json"), JSON.stringify({ calls: [program] }));
    expect(await first).toContain("program__code__run");

    const refused = { role: "tool", content: "The program was not run: it has mistakes." };
    const second = ask([owner, { role: "assistant", content: "", tool_calls: [] }, refused]);
    const shown = await comes(folder, "req-2.txt");
    expect(shown).toContain("it has mistakes");
    expect(shown).not.toContain("sums");
    writeFileSync(join(folder, "ans-2.json"), JSON.stringify({ text: "All summed." }));
    expect(await second).toContain("All summed.");
    expect(model.firstProgram(3)).toBe("refused");
    expect(model.given).toMatchObject({ laps: 2 });
    await expect(HandModel.byHand(folder, () => true)).rejects.toThrow("holds a game already");
  } finally {
    await model.server.close();
    rmSync(folder, { recursive: true });
  }
});
