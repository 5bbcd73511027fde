import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isPush } from "@elwood/sdk/client";
import { describe, expect, test } from "vitest";
import { forgetScene } from "../erase/test-scene.ts";

describe("memory, for its owner", () => {
  test("notes are written, listed and shown with whose words they hold, and facts against each other", async () => {
    const { owner, home } = await forgetScene();
    const first = await owner.call("memory.save", {
      key: "Ada",
      content: "## Ada\n- Town: Rome (since 2021)\n- Town: Oslo (since 2024)\n- Car: Volvo\n",
    });
    expect(first).toMatchObject({ created: true, changed: true, redacted: false, note: { key: "ada" } });
    await owner.call("memory.save", { key: "cars", content: "## Ada\n- Car: Saab\n" });
    expect((await owner.call("memory.list", {})).notes).toMatchObject([
      { key: "ada", source: "memory/default/ada.md", preview: expect.stringContaining("Town: Rome") },
      { key: "cars" },
    ]);
    const { note } = await owner.call("memory.show", { source: "memory/default/ada.md" });
    expect(note!.lines[1]).toEqual({ line: 2, text: "- Town: Rome (since 2021)", origin: "owner" });
    expect(note!.facts).toMatchObject([
      { line: 2, holds: false, supersededBy: 3 },
      { line: 3, holds: true },
      { line: 4, holds: true, against: [{ source: "memory/default/cars.md", text: "Car: Saab" }] },
    ]);
    expect(readFileSync(join(home, "memory/default/ada.md"), "utf8")).toBe(note!.text);
  });

  test("a note that was changed by hand meanwhile is not overwritten", async () => {
    const { owner, home } = await forgetScene();
    const { note } = await owner.call("memory.save", {
      key: "ada",
      content: "- Town: Rome\n",
      expected: null,
    });
    appendFileSync(join(home, "memory/default/ada.md"), "- Car: Volvo\n");
    await expect(
      owner.call("memory.save", { key: "ada", content: "- Town: Oslo\n", expected: note.sha256 }),
    ).rejects.toThrow(/changed meanwhile/);
    await expect(owner.call("memory.save", { key: "ada", content: "x", expected: null })).rejects.toThrow(
      /exists already/,
    );
    await expect(owner.call("memory.save", { key: "ada", content: " \n" })).rejects.toThrow(/without words/);
    expect(readFileSync(join(home, "memory/default/ada.md"), "utf8")).toBe("- Town: Rome\n- Car: Volvo\n");
  });

  test("secrets are left out of a note before it is written", async () => {
    const { owner, holders } = await forgetScene();
    const saved = await owner.call("memory.save", {
      key: "keys",
      content: "- key: sk-ant-abcdefghijklmnopqrstuvwxyz0123\n",
    });
    expect(saved.redacted).toBe(true);
    expect(holders("sk-ant-abcdefghijklmnopqrstuvwxyz0123")).toEqual([]);
  });

  test("a search tells place, speaker, parts of the score and neighbours", async () => {
    const { owner, say, session } = await forgetScene();
    const sessionKey = await session();
    await say(sessionKey, "The tandem needs a new chain before Easter");
    const { hits } = await owner.call("memory.search", { query: "what does the tandem need", limit: 5 });
    const hit = hits.find(({ role }) => role === "user")!;
    expect(hit).toMatchObject({
      source: `sessions/default/${sessionKey}.jsonl`,
      line: 1,
      speaker: "you",
      origin: "owner",
      sessionKey,
    });
    expect(Object.keys(hit.parts).length).toBeGreaterThan(0);
    const { turns } = await owner.call("memory.show", { source: hit.source, from: 1, to: 1 });
    expect(turns).toMatchObject([{ line: 1, text: "The tandem needs a new chain before Easter" }]);
  });

  test("the status counts, and a rebuild leaves the same", async () => {
    const { owner, home } = await forgetScene();
    mkdirSync(join(home, "memory", "default"), { recursive: true });
    writeFileSync(join(home, "memory", "default", "by-hand.md"), "- Cat: Minka\n", { flag: "w" });
    await owner.call("memory.search", { query: "anything" });
    const rebuilt = await owner.call("memory.rebuild", {});
    expect(rebuilt).toMatchObject({ enabled: true, notes: 1, turns: 1, behind: 0, forgetting: 0 });
    expect(await owner.call("memory.status", {})).toMatchObject({ turns: 1, rebuilding: false });
  });

  test("without an index notes are still there, and the status says so", async () => {
    const { owner } = await forgetScene({ config: "memory:\n  enabled: false\n" });
    await owner.call("memory.save", { key: "ada", content: "- Town: Oslo\n" });
    expect((await owner.call("memory.list", {})).notes).toHaveLength(1);
    expect(await owner.call("memory.status", {})).toMatchObject({ enabled: false, notes: 1 });
    await expect(owner.call("memory.search", { query: "Oslo" })).rejects.toThrow(/turned off/);
    expect(await owner.call("memory.forget", { note: "ada" })).toMatchObject({ done: true, still: [] });
  });
});

test("why it knew something is told, and what is never to be used is not recalled again", async () => {
  const { owner, say, session } = await forgetScene();
  await owner.call("memory.save", {
    key: "garden",
    content: "- The key of the garden shed hangs behind the boiler\n",
  });
  await owner.call("memory.search", { query: "garden shed key" });
  const recalledIn = async () => {
    const sessionKey = await session();
    const final = new Promise<{ runId: string; recalled?: { source: string; line: number }[] | undefined }>(
      (resolve) => {
        const off = owner.onPush((push) => {
          if (!isPush(push, "chat.final")) return;
          off();
          resolve(push.data);
        });
      },
    );
    await say(sessionKey, "Where does the key of the garden shed hang?");
    return final;
  };
  let first = await recalledIn();
  for (let left = 5; left > 0 && !first.recalled; left--) first = await recalledIn();
  expect(first.recalled).toMatchObject([{ source: "memory/default/garden.md", line: 1 }]);
  const why = await owner.call("memory.recalled", { runId: first.runId });
  expect(why.items[0]).toMatchObject({
    source: "memory/default/garden.md",
    never: false,
    text: expect.stringContaining("boiler"),
  });
  await owner.call("memory.never", { source: "memory/default/garden.md", line: 1, never: true });
  expect((await owner.call("memory.recalled", { runId: first.runId })).items[0]!.never).toBe(true);
  expect((await recalledIn()).recalled?.filter(({ source }) => source.startsWith("memory/")) ?? []).toEqual(
    [],
  );
  expect((await owner.call("memory.search", { query: "garden shed key" })).hits[0]!.text).toContain("boiler");
  await owner.call("memory.never", { source: "memory/default/garden.md", line: 1, never: false });
  expect((await owner.call("memory.recalled", { runId: first.runId })).items[0]!.never).toBe(false);
});
