import { appendFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gate } from "@elwood/testkit/answers";
import {
  ANTHROPIC_ROUTE,
  anthropic,
  startAnthropic,
  type AnthropicServer,
} from "@elwood/testkit/anthropic-server";
import { startGatewayProcess, temporaryHome, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { anthropicEnv, ask, contentsOf, ending, openSession, send } from "./conversation.ts";
import { mountSmallDisk, orSkip } from "@elwood/testkit/small-disk";

/** Longer than the pause between two looks at the disk. */
const POLL = { timeout: 20_000, interval: 200 };

let server: AnthropicServer;
beforeAll(async () => {
  server = await startAnthropic();
});
afterAll(() => server.close());

describe("EL-4: a transcript that was damaged by hand still loads, says what is lost, and goes on", () => {
  let gateway: GatewayProcess;
  let wire: Wire;
  beforeAll(async () => {
    gateway = await startGatewayProcess({ env: anthropicEnv(server) });
    wire = await Wire.authenticated(gateway.url, gateway.token);
  });
  afterAll(() => gateway.kill());

  const damages: [string, (file: string, text: string) => void, string[], string[]][] = [
    [
      "a half-written last line",
      (file) => truncateSync(file, statSync(file).size - 30),
      ["torn"],
      ["one", "First.", "two"],
    ],
    [
      "half a line behind the last",
      (file) => appendFileSync(file, '{"v":1,"id":"msg_'),
      ["torn"],
      ["one", "First.", "two", "Second."],
    ],
    [
      "binary noise behind the last",
      (file) => appendFileSync(file, Buffer.from([0, 255, 10, 128, 10, 10, 254, 0])),
      ["not-json", "not-json", "torn"],
      ["one", "First.", "two", "Second."],
    ],
    [
      "a line that is JSON, but no message",
      (file) => appendFileSync(file, '{"v":1}\n[]\nnull\n'),
      ["not-a-message", "not-a-message", "not-a-message"],
      ["one", "First.", "two", "Second."],
    ],
    [
      "a line torn in the middle of the file",
      (file, text) => writeFileSync(file, text.replace(/"First\.".*\n/, "\n")),
      ["not-json"],
      ["one", "two", "Second."],
    ],
    [
      "bytes turned over in the middle",
      (file, text) => {
        const bytes = Buffer.from(text);
        bytes[bytes.indexOf("First.") + 2] = 0xff;
        writeFileSync(file, bytes);
      },
      ["not-json"],
      ["one", "two", "Second."],
    ],
    ["a file that is empty", (file) => truncateSync(file, 0), [], []],
    ["a file that is gone", (file) => rmSync(file), [], []],
  ];

  test.each(damages)("%s", async (_what, damage, reported, kept) => {
    server.will(anthropic.reply("First."), anthropic.reply("Second."), anthropic.reply("Third."));
    const key = await openSession(wire);
    await ask(wire, key, "one");
    await ask(wire, key, "two");
    const file = join(gateway.home, "sessions/default", `${key}.jsonl`);
    damage(file, readFileSync(file, "utf8"));

    const found = (await wire.result("sessions.get", { sessionKey: key })) as {
      damage: { what: string; line: number }[];
      messages: { content: string }[];
    };
    expect(found.damage.map((d) => d.what)).toEqual(reported);
    expect(found.messages.map((m) => m.content)).toEqual(kept);
    expect((await ask(wire, key, "three")).data).toMatchObject({ text: "Third." });
    expect(await contentsOf(wire, key)).toEqual([...kept, "three", "Third."]);
    for (const text of kept) expect(server.last(ANTHROPIC_ROUTE).text).toContain(text);
    server.assertDone();
  });
});

describe("a full disk", () => {
  test("EL-4: where only the transcript cannot be written the answer comes with a note, and is written later", async (context) => {
    const home = temporaryHome();
    using _home = { [Symbol.dispose]: () => home.remove() };
    using disk = orSkip(context, mountSmallDisk({ path: join(home.path, "sessions"), kilobytes: 64 }));
    await using gateway = await startGatewayProcess({ home: home.path, env: anthropicEnv(server) });
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    const key = await openSession(wire);
    server.will(anthropic.reply("One."), anthropic.reply("Two."), anthropic.reply("Three."));
    expect((await ask(wire, key, "first")).data).not.toHaveProperty("note");
    disk.fill();
    const long = "Which number is two? ".repeat(600).trim();
    const noted = await ask(wire, key, long);
    expect(noted.data).toMatchObject({ text: "Two.", note: expect.stringContaining("is the disk full?") });
    expect(await contentsOf(wire, key)).toEqual(["first", "One.", long, "Two."]);
    const file = join(disk.path, "default", `${key}.jsonl`);
    expect(readFileSync(file, "utf8").trim().split("\n")).toHaveLength(2);

    disk.free();
    expect((await ask(wire, key, "third")).data).not.toHaveProperty("note");
    const lines = readFileSync(file, "utf8").trim().split("\n");
    expect(lines).toHaveLength(6);
    expect(lines.map((line) => (JSON.parse(line) as { i: number }).i)).toEqual([0, 1, 0, 1, 0, 1]);
    expect(JSON.stringify(server.last().body)).toContain("Two.");
  });

  test("where nothing can be written a message is refused with a code, none that was accepted is lost, and work goes on", async (context) => {
    using disk = orSkip(context, mountSmallDisk({ kilobytes: 6_144 }));
    const options = { home: disk.path, env: anthropicEnv(server) };
    const gateway = await startGatewayProcess(options);
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    const key = await openSession(wire);
    server.always(ANTHROPIC_ROUTE, anthropic.reply("Answer."));
    expect((await ask(wire, key, "before")).event).toBe("chat.final");
    disk.fill();

    const accepted = ["before"];
    const reasons = new Set<string>();
    for (let i = 0; i < 12 && !reasons.has("STORAGE_FULL"); i++) {
      const message = `message ${i} ${"x".repeat(100_000)}`;
      const answer = await wire.ask("chat.send", { sessionKey: key, message });
      if (answer.error) {
        reasons.add(answer.error.data!.reason);
        expect(answer.error.message).toMatch(/disk is full.*Free some space/);
      } else {
        accepted.push(message);
        await ending(wire, (answer.result as { runId: string }).runId);
      }
    }
    expect([...reasons]).toEqual(["STORAGE_FULL"]);
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
    // Everybody is told, and can still read.
    await wire.until((f) => f.event === "attention.changed");
    const { storage } = await wire.result("gateway.status");
    expect(storage).toMatchObject({ state: "full", text: expect.stringMatching(/^The disk is full/) });
    const { items } = (await wire.result("attention.list")) as { items: { kind: string }[] };
    expect(items[0]).toMatchObject({ kind: "storage", severity: "error" });
    expect(await contentsOf(wire, key)).toContain("before");
    const upload = await fetch(`${gateway.url}/blobs`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.token}`, "content-type": "text/plain" },
      body: "some bytes",
    });
    expect([upload.status, await upload.text()]).toEqual([
      503,
      expect.stringMatching(/The file was not stored\. The disk is full/),
    ]);

    disk.free();
    // By itself: nobody asked for anything.
    await expect.poll(async () => (await wire.result("gateway.status"))["storage"], POLL).toBeUndefined();
    expect((await ask(wire, key, "after")).data).toMatchObject({ text: "Answer." });
    await gateway.stop();
    const again = await startGatewayProcess(options);
    const client = await Wire.authenticated(again.url, again.token);
    await expect.poll(async () => (await client.result("gateway.status"))["runsActive"]).toBe(0);
    const { messages } = (await client.result("sessions.get", { sessionKey: key })) as {
      messages: { role: string; content: string }[];
    };
    const said = messages.filter((m) => m.role === "user").map((m) => m.content);
    expect(new Set(said)).toEqual(new Set([...accepted, "after"]));
    expect(said).toHaveLength(accepted.length + 1);
    await again.kill();
  });

  test("a start on a disk without a byte left says so, changes nothing, and works once there is room", async (context) => {
    using disk = orSkip(context, mountSmallDisk({ kilobytes: 6_144 }));
    const options = { home: disk.path, env: anthropicEnv(server) };
    const first = await startGatewayProcess(options);
    const wire = await Wire.authenticated(first.url, first.token);
    const key = await openSession(wire);
    server.will(anthropic.reply("One."));
    await ask(wire, key, "first");
    await first.stop();
    disk.fill();
    const refused = await startGatewayProcess(options).catch(String);
    expect(refused).toMatch(/Nothing was changed\. The disk is full\. Free some space and try again\./);
    // Nothing runs that could go on.
    expect(refused).not.toMatch(/by itself/);
    disk.free();
    await using again = await startGatewayProcess(options);
    expect(await contentsOf(await Wire.authenticated(again.url, again.token), key)).toEqual([
      "first",
      "One.",
    ]);
  });

  test("a disk that runs full in the middle of an answer costs none of it: both are written with the next message", async (context) => {
    using disk = orSkip(context, mountSmallDisk({ kilobytes: 6_144 }));
    const options = { home: disk.path, env: anthropicEnv(server) };
    const gateway = await startGatewayProcess(options);
    const wire = await Wire.authenticated(gateway.url, gateway.token, { name: "t", drafts: true });
    const key = await openSession(wire);
    const door = gate();
    const pieces = ["Beginning ", `${"long ".repeat(100_000)}end.`];
    const answer = pieces.join("");
    const events = anthropic.events({ content: [{ type: "text", text: answer, pieces }] });
    server.will(anthropic.stream([...events.slice(0, 4), { wait: door }, ...events.slice(4)]));
    const runId = await send(wire, key, "go");
    await wire.until((f) => f.event === "chat.delta");
    disk.fill();
    door.open();
    const end = await ending(wire, runId);
    expect(end.event).toBe("chat.final");
    expect(end.data).toMatchObject({ text: answer, note: expect.stringContaining("is the disk full?") });

    disk.free();
    server.will(anthropic.reply("And on."));
    expect((await ask(wire, key, "again")).data).toMatchObject({ text: "And on." });
    const expected = ["go", answer, "again", "And on."];
    expect(await contentsOf(wire, key)).toEqual(expected);
    const file = join(disk.path, "sessions/default", `${key}.jsonl`);
    expect(readFileSync(file, "utf8").trim().split("\n")).toHaveLength(4);
    await gateway.kill();
    const again = await startGatewayProcess(options);
    const client = await Wire.authenticated(again.url, again.token);
    expect(await contentsOf(client, key)).toEqual(expected);
    await again.kill();
  });
});
