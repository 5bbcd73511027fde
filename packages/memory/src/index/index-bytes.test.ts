import { existsSync, readFileSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { indexScene, query } from "./test-index-scene.ts";

/** Words, and the stems that the full-text index keeps of them. */
function bytesHold(path: string, word: string): boolean {
  return ["", "-wal"].some((end) => {
    if (!existsSync(`${path}${end}`)) return false;
    return readFileSync(`${path}${end}`).toString("latin1").toLowerCase().includes(word);
  });
}

describe("what leaves the index leaves its bytes", () => {
  test.each([3, 400])("when a conversation of %i messages is deleted", async (count) => {
    const { open, say, path, transcript } = indexScene();
    for (const session of ["ses_a", "ses_b"]) {
      const word = session === "ses_a" ? "rhubarb" : "spinach";
      say(session, ...Array.from({ length: count }, (_, i) => `number ${i} about ${word} and other things`));
    }
    const index = open();
    await index.start();
    expect(bytesHold(path, "rhubarb")).toBe(true);
    rmSync(transcript("ses_a"));
    await index.sweep();
    index.truncateLog();
    expect(bytesHold(path, "rhubarb")).toBe(false);
    expect(bytesHold(path, "spinach")).toBe(true);
    index.read((db) => db.exec("INSERT INTO turns_fts (turns_fts, rank) VALUES ('integrity-check', 1)"));
    expect(index.status().turns).toBe(count);
  });

  test("when a line of a note is taken out by hand", async () => {
    const { open, write, path } = indexScene();
    write("food", "- likes rhubarb\n- likes spinach\n");
    const index = open();
    await index.start();
    write("food", "- likes spinach\n");
    await index.sweep();
    index.truncateLog();
    expect(bytesHold(path, "rhubarb")).toBe(false);
    expect(bytesHold(path, "spinach")).toBe(true);
  });

  test("when turns, or a whole source, are taken out although their file is still there", async () => {
    const { open, say, path } = indexScene();
    say("ses_a", "a word on rhubarb", "and one on spinach");
    say("ses_b", "a word on fennel");
    const index = open();
    const [hit] = await index.search(query("rhubarb"));
    index.forgetTurns([hit!.turn.id]);
    expect(bytesHold(path, "rhubarb")).toBe(false);
    expect(bytesHold(path, "spinach")).toBe(true);
    await index.forgetSource("sessions/default/ses_b.jsonl");
    expect(bytesHold(path, "fennel")).toBe(false);
    index.read((db) => db.exec("INSERT INTO turns_fts (turns_fts, rank) VALUES ('integrity-check', 1)"));
  });
});
