import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { forgetScene, type ForgetScene } from "./test-scene.ts";

async function verified({ owner }: ForgetScene): Promise<void> {
  expect(await owner.call("receipts.verify", {})).toMatchObject({ verdict: { status: "intact" } });
}

async function forgetWord({ owner }: ForgetScene, word: string) {
  const plan = await owner.call("memory.forget", { word, dryRun: true });
  return owner.call("memory.forget", { word, confirm: plan.total });
}

describe("everything about a word", () => {
  test("leaves the bytes of every file: messages, notes, calls, titles, recalled lines, copies and forks", async () => {
    const scene = await forgetScene();
    const { owner, say, session, holders } = scene;
    const first = await session();
    await say(first, "remember that my rhubarb grows behind the shed");
    await say(first, "The spinach is in the third bed");
    const second = await session();
    await say(second, "what do you remember about rhubarb");
    await say(second, "Where does my rhubarb grow?");
    const { runs } = await owner.call("runs.list", { sessionKey: second });
    const fork = await owner.call("sessions.fork", {
      sessionKey: second,
      runId: runs[0]!.runId,
      include: true,
    });
    await owner.call("sessions.rename", { sessionKey: fork.sessionKey, title: "All about RHUBARB" });
    const third = await session();
    await say(third, "Rhubarb is a vegetable");
    await owner.call("sessions.delete", { sessionKey: third });
    expect((await owner.call("memory.search", { query: "rhubarb" })).hits).not.toEqual([]);
    expect(holders("rhubarb")).toEqual(
      expect.arrayContaining(["elwood.db-wal", "memory.db-wal", "memory/default/remembered.md"]),
    );

    const plan = await owner.call("memory.forget", { word: "Rhubarb", dryRun: true });
    expect(plan).toMatchObject({ done: false, kind: "word", busy: [], forms: ["rhubarb"] });
    expect(plan.removed).toMatchObject({ notes: 1, noteLines: 1 });
    expect(plan.removed.calls).toBeGreaterThanOrEqual(2);
    expect(plan.removed.bodies).toBeGreaterThanOrEqual(2);
    expect(plan.removed.titles).toBeGreaterThanOrEqual(2);
    expect(plan.places[0]).toMatchObject({ kind: "note", line: 1, text: expect.stringContaining("rhubarb") });
    expect(holders("rhubarb")).toContain("elwood.db-wal");

    const report = await owner.call("memory.forget", { word: "Rhubarb", confirm: plan.total });
    expect(report).toMatchObject({ done: true, removed: plan.removed, still: [], unread: [] });
    expect(report.outOfReach.join()).toContain("provider");
    expect(holders("rhubarb")).toEqual([]);
    await verified(scene);

    expect((await owner.call("memory.search", { query: "rhubarb" })).hits).toEqual([]);
    expect((await owner.call("sessions.search", { query: "rhubarb" })).hits).toEqual([]);
    const { hits } = await owner.call("memory.search", { query: "spinach bed" });
    expect(hits.map(({ text }) => text)).toContain("The spinach is in the third bed");
    const { receipts } = await owner.call("receipts.list", { types: ["memory.forgotten"] });
    expect(receipts).toMatchObject([{ payload: { kind: "word" } }]);
    expect(report.receiptId).toBe(receipts[0]!.id);
    // The conversation can be gone on with, and reads as one with gaps.
    const { messages } = await owner.call("sessions.get", { sessionKey: first });
    expect(messages.filter((message) => message.meta?.forgotten).length).toBeGreaterThan(0);
    expect(await say(first, "What did I say about spinach?")).not.toBe("");
    expect((await owner.call("memory.forget", { word: "rhubarb", dryRun: true })).total).toBe(0);
    await scene.close();
    expect(holders("rhubarb")).toEqual([]);
  });

  test("takes files along that hold the word, and messages that they came with", async () => {
    const scene = await forgetScene();
    const { say, session, holders, gateway } = scene;
    const sessionKey = await session();
    const upload = await fetch(`${gateway.url}/blobs`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.ownerToken}`, "content-type": "text/plain" },
      body: "A leaflet on growing rhubarb.",
    });
    const { blobId } = (await upload.json()) as { blobId: string };
    await say(sessionKey, "Look at this leaflet", [
      { kind: "blob", blobId, name: "leaflet.txt", origin: "attached" },
    ]);
    expect(holders("rhubarb").some((path) => path.startsWith("blobs/"))).toBe(true);
    const report = await forgetWord(scene, "rhubarb");
    expect(report).toMatchObject({ still: [], removed: { files: 1 } });
    expect(holders("rhubarb")).toEqual([]);
    expect(holders("Look at this leaflet")).toEqual([]);
  });

  test("asks for the count, and forgets nothing where that is another one by now", async () => {
    const { owner, say, session, holders } = await forgetScene();
    await say(await session(), "I like fennel");
    await expect(owner.call("memory.forget", { word: "fennel" })).rejects.toThrow(/confirm/);
    const plan = await owner.call("memory.forget", { word: "fennel", dryRun: true });
    await say(await session(), "I like fennel a lot");
    await expect(owner.call("memory.forget", { word: "fennel", confirm: plan.total })).rejects.toThrow(
      /Nothing was forgotten/,
    );
    expect(holders("fennel")).toContain("elwood.db-wal");
    await expect(owner.call("memory.forget", { word: "fe", dryRun: true })).rejects.toThrow(/at least 3/);
  });

  test("says where it still is: in files of the owner's, and in backups unless they are to go", async () => {
    const scene = await forgetScene();
    const { owner, say, session, home } = scene;
    await say(await session(), "I like fennel");
    writeFileSync(join(home, "workspace", "MINE.md"), "fennel soup\n");
    const backup = join(home, "backups", "elwood-v1-20260101T000000000Z.db");
    await owner.call("memory.status", {});
    mkdirSync(join(home, "backups"), { recursive: true });
    writeFileSync(backup, "xx fennel xx");
    // Compressed: nobody can see what is in it.
    const packed = "backups/elwood-20260102T000000000Z.tar.gz";
    writeFileSync(join(home, packed), "packed");
    const report = await forgetWord(scene, "fennel");
    expect(report.still.map(({ path }) => path).sort()).toEqual([
      "backups/elwood-v1-20260101T000000000Z.db",
      "workspace/MINE.md",
    ]);
    const plan = await owner.call("memory.forget", { word: "fennel", dryRun: true, backups: true });
    expect(plan).toMatchObject({ total: 0, removed: { backups: 2 } });
    const again = await owner.call("memory.forget", { word: "fennel", confirm: 0, backups: true });
    expect(again.still.map(({ path }) => path)).toEqual(["workspace/MINE.md"]);
    expect([report.unread, again.unread]).toEqual([[packed], []]);
  });
});

describe("one thing", () => {
  test("a message is forgotten with what was made of it, and the conversation goes on", async () => {
    const scene = await forgetScene();
    const { owner, say, session, holders } = scene;
    const sessionKey = await session();
    await say(sessionKey, "The garden door opens with the code zq4417zq and a kick");
    await say(sessionKey, "The weather is fine today");
    const other = await session();
    await say(other, "What is the code of the garden door?");
    await say(other, "what do you remember about the garden door");
    const { messages } = await owner.call("sessions.get", { sessionKey });
    const { runs } = await owner.call("runs.list", { sessionKey });
    const fork = await owner.call("sessions.fork", { sessionKey, runId: runs[0]!.runId, include: true });
    const turn = { sessionKey, runId: messages[0]!.runId };
    const report = await owner.call("memory.forget", { turn });
    expect(report).toMatchObject({ done: true, kind: "turn" });
    expect(report.removed.messages).toBeGreaterThanOrEqual(4);
    await verified(scene);
    for (const key of [sessionKey, fork.sessionKey]) {
      const { messages: left } = await owner.call("sessions.get", { sessionKey: key });
      expect(JSON.stringify(left)).not.toContain("zq4417zq");
      expect(JSON.stringify(left)).toContain("The weather is fine today");
    }
    // What the model said of it in the other conversation is a message of its own, and is told.
    const elsewhere = report.still.filter(({ path }) => path.startsWith("sessions/"));
    for (const { path } of elsewhere) expect(path).toContain(other);
    const { messages: said } = await owner.call("sessions.get", { sessionKey: other });
    for (const runId of new Set(said.map((message) => message.runId)))
      await owner.call("memory.forget", { turn: { sessionKey: other, runId } }).catch(() => undefined);
    expect(holders("zq4417zq")).toEqual([]);
    await expect(owner.call("memory.forget", { turn })).rejects.toThrow(/forgotten before/);
    expect(await say(sessionKey, "And now?")).not.toBe("");
  });

  test("the calls of a forgotten exchange keep their numbers, and none is given again", async () => {
    const { owner, say, session } = await forgetScene();
    const sessionKey = await session();
    const cites = async (said: string) => {
      await say(sessionKey, said);
      const { runs } = await owner.call("runs.list", { sessionKey });
      const { runId } = runs[0]!;
      const of = async () => (await owner.call("runs.activity", { runId })).activity.map(({ cite }) => cite);
      return { runId, now: await of(), of };
    };
    const first = await cites("remember that my rhubarb grows behind the shed");
    expect(first.now).toEqual(["c1"]);
    await owner.call("memory.forget", { turn: { sessionKey, runId: first.runId } });
    expect(await first.of()).toEqual(["c1"]);
    expect((await cites("remember that the spinach is in the third bed")).now).toEqual(["c2"]);
  });

  test("a session goes whole, with the copies that forks made of it", async () => {
    const scene = await forgetScene();
    const { owner, say, session, holders } = scene;
    const sessionKey = await session();
    await say(sessionKey, "My aunt lives in Ravenna near the harbour");
    const { runs } = await owner.call("runs.list", { sessionKey });
    const fork = await owner.call("sessions.fork", { sessionKey, runId: runs[0]!.runId, include: true });
    await say(fork.sessionKey, "Something else altogether");
    expect(holders("ravenna").length).toBeGreaterThan(2);
    const report = await owner.call("memory.forget", { session: sessionKey });
    expect(report).toMatchObject({ done: true, still: [], removed: { sessions: 1 } });
    expect(holders("ravenna")).toEqual([]);
    await verified(scene);
    await expect(owner.call("sessions.get", { sessionKey })).rejects.toThrow(/no session/);
    const { messages } = await owner.call("sessions.get", { sessionKey: fork.sessionKey });
    expect(JSON.stringify(messages)).toContain("Something else altogether");
  });

  test("forgetting a fork leaves the session it was copied from alone", async () => {
    const { owner, say, session, holders } = await forgetScene();
    const sessionKey = await session();
    await say(sessionKey, "My aunt lives in Ravenna near the harbour");
    const { runs } = await owner.call("runs.list", { sessionKey });
    const fork = await owner.call("sessions.fork", { sessionKey, runId: runs[0]!.runId, include: true });
    await say(fork.sessionKey, "My uncle lives in Trieste near the station");
    await owner.call("memory.forget", { session: fork.sessionKey });
    expect(holders("trieste")).toEqual([]);
    const { messages } = await owner.call("sessions.get", { sessionKey });
    expect(JSON.stringify(messages)).toContain("Ravenna");
  });

  test("a note goes with what it held before, what was searched of it and what was recalled from it", async () => {
    const scene = await forgetScene();
    const { owner, say, session, holders } = scene;
    await owner.call("memory.save", {
      key: "house",
      content: "- The alarm code is zq9953zq for the cellar\n",
    });
    await owner.call("memory.save", {
      key: "house",
      content: "- The alarm code is zq2267zq for the cellar\n",
    });
    const sessionKey = await session();
    await say(sessionKey, "what do you remember about the alarm code of the cellar");
    expect(holders("zq2267zq")).toContain("elwood.db-wal");
    const plan = await owner.call("memory.forget", { note: "house", dryRun: true });
    expect(plan.removed).toMatchObject({ notes: 1, noteLines: 1 });
    const report = await owner.call("memory.forget", { note: "house" });
    expect(report.done).toBe(true);
    await verified(scene);
    // The model's own reply about it is a message; it is told, and can be forgotten as one.
    const { messages } = await owner.call("sessions.get", { sessionKey });
    const reply = messages.findLast(({ role }) => role === "assistant")!;
    if (JSON.stringify(reply).includes("zq2267zq")) {
      expect(report.still.map(({ path }) => path)).toContain(`sessions/default/${sessionKey}.jsonl`);
      await owner.call("memory.forget", { turn: { sessionKey, messageId: reply.id } });
    }
    expect(holders("zq2267zq")).toEqual([]);
    expect(holders("zq9953zq")).toEqual([]);
    await expect(owner.call("memory.forget", { note: "house" })).rejects.toThrow(/no note/);
  });

  test("a line is forgotten by the place that a search names, in a note and in a conversation", async () => {
    const { owner, say, session, home } = await forgetScene();
    await owner.call("memory.save", { key: "pets", content: "- Cat: Minka\n- Dog: Bello the terrier\n" });
    await say(await session(), "My parrot is called Polly and talks");
    const dog = (await owner.call("memory.search", { query: "dog Bello terrier" })).hits[0]!;
    await owner.call("memory.forget", { place: { source: dog.source, line: dog.line } });
    expect(readFileSync(join(home, "memory/default/pets.md"), "utf8")).toBe("- Cat: Minka\n");
    const parrot = (await owner.call("memory.search", { query: "parrot Polly" })).hits.find(
      ({ role }) => role === "user",
    )!;
    await owner.call("memory.forget", { place: { source: parrot.source, line: parrot.line } });
    const { hits } = await owner.call("memory.search", { query: "parrot Polly talks" });
    expect(hits.filter(({ role }) => role === "user")).toEqual([]);
  });

  test("what the tool forgets leaves the conversation it was asked in, once the reply is done", async () => {
    const scene = await forgetScene();
    const { owner, say, session, holders } = scene;
    await owner.call("memory.save", {
      key: "house",
      content: "- The alarm code is zq2267zq for the cellar\n",
    });
    const sessionKey = await session();
    expect(await say(sessionKey, "forget the note house")).toMatch(/house|forg/i);
    await expect.poll(async () => (await owner.call("memory.status", {})).forgetting).toBe(0);
    expect(holders("zq2267zq")).toEqual([]);
    await verified(scene);
  });
});

test("only a token that may decide for the owner forgets, saves or silences", async () => {
  const { owner, gateway } = await forgetScene();
  const { token } = await owner.call("tokens.create", { name: "reader", scopes: ["chat"] });
  const { GatewayClient } = await import("@elwood/sdk/client");
  const reader = await GatewayClient.connect({ url: gateway.url, token });
  try {
    await expect(reader.call("memory.forget", { word: "anything", dryRun: true })).rejects.toThrow(/scope/);
    await expect(reader.call("memory.save", { key: "a", content: "b" })).rejects.toThrow(/scope/);
    expect((await reader.call("memory.list", {})).notes).toEqual([]);
  } finally {
    await reader.close();
  }
});
