import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gate } from "@elwood/testkit/answers";
import { anthropic, startAnthropic } from "@elwood/testkit/anthropic-server";
import { startOpenai } from "@elwood/testkit/openai-server";
import { responses } from "@elwood/testkit/responses-wire";
import { startGatewayProcess, temporaryHome, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { anthropicEnv, contentsOf, ending, openSession, send } from "./conversation.ts";

describe("with the demo model", () => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess();
  });
  afterAll(() => gateway.kill());

  test("JV-1: health, the page and the WebSocket come from one server on loopback", async () => {
    expect(await (await fetch(`${gateway.url}/health`)).json()).toMatchObject({
      status: "ok",
      uptime: expect.any(Number),
    });
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
    const page = await fetch(`${gateway.url}/`);
    expect(page.headers.get("content-type")).toContain("text/html");
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    await wire.close();
  });

  test("JV-1: foreign origins are refused, also ones that only look like ours", async () => {
    const port = new URL(gateway.url).port;
    for (const origin of [
      "http://evil.example",
      "null",
      `http://127.0.0.1.evil.example:${port}`,
      `https://127.0.0.1:${port}`,
      "http://127.0.0.1",
      `http://localhost:${port}.evil.example`,
    ]) {
      await expect(Wire.open(gateway.url, { origin }), origin).rejects.toThrow("403");
    }
    const own = await Wire.open(gateway.url, { origin: gateway.url });
    await own.close();
  });

  test("JV-2 JV-3: the seed's frames work as written: auth, create, send, deltas, final, history", async () => {
    const wire = await Wire.open(gateway.url);
    wire.send({ type: "auth", token: gateway.token });
    await wire.until((f) => f.type === "auth");
    const key = await openSession(wire);
    const runId = await send(wire, key, "hello");
    const final = await ending(wire, runId);
    expect(final.data).toMatchObject({
      runId,
      usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
      demo: true,
    });
    const deltas = wire.pushesOf(runId).filter((f) => f.event === "chat.delta");
    expect(deltas.length).toBeGreaterThan(1);
    expect(
      deltas
        .map((d) => d.data!["text"])
        .join("")
        .trim(),
    ).toBe(String(final.data!["text"]).trim());
    expect(await contentsOf(wire, key)).toEqual(["hello", String(final.data!["text"]).trim()]);
    await wire.close();
  });

  test("JV-12: several sessions keep their own conversations, and the list shows them newest first", async () => {
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    const [a, b] = [await openSession(wire), await openSession(wire)];
    await ending(wire, await send(wire, a, "apples"));
    await ending(wire, await send(wire, b, "bananas"));
    expect((await contentsOf(wire, a))[0]).toBe("apples");
    expect((await contentsOf(wire, b))[0]).toBe("bananas");
    const { sessions } = (await wire.result("sessions.list")) as {
      sessions: { sessionKey: string; title: string }[];
    };
    expect(sessions.slice(0, 2).map((s) => [s.sessionKey, s.title])).toEqual([
      [b, "bananas"],
      [a, "apples"],
    ]);
    await wire.close();
  });

  test("JV-12: abort works in the middle of an answer and keeps what was written", async () => {
    const wire = await Wire.authenticated(gateway.url, gateway.token, { name: "t", drafts: true });
    const key = await openSession(wire);
    const runId = await send(wire, key, "tell me a long story");
    await wire.until((f) => f.event === "chat.delta" && f.data?.["runId"] === runId);
    await wire.result("chat.abort", { runId });
    const final = await ending(wire, runId);
    expect(final.data).toMatchObject({ aborted: true, stopReason: "aborted" });
    expect(String(final.data!["text"]).length).toBeGreaterThan(0);
    const [, kept] = await contentsOf(wire, key);
    expect(kept).toBe(String(final.data!["text"]).trim());
    await wire.close();
  });

  test("a run belongs to the server: the sender leaves, another client picks the answer up whole", async () => {
    const first = await Wire.authenticated(gateway.url, gateway.token, { name: "one", drafts: true });
    const key = await openSession(first);
    const runId = await send(first, key, "tell me a long story");
    await first.until((f) => f.event === "chat.delta" && f.data?.["runId"] === runId);
    await first.close();
    const second = await Wire.authenticated(gateway.url, gateway.token, { name: "two", drafts: true });
    const found = (await second.result("sessions.get", { sessionKey: key })) as { runs: { runId: string }[] };
    expect(found.runs.map((r) => r.runId)).toEqual([runId]);
    const { snapshot, seq } = (await second.result("chat.resume", { runId, afterSeq: 0 })) as {
      snapshot: { text: string };
      seq: number;
    };
    const final = await ending(second, runId);
    const pushes = second.pushesOf(runId);
    expect(pushes.map((p) => p.data!["seq"])).toEqual(pushes.map((_, i) => seq + 1 + i));
    const text = pushes
      .filter((p) => p.event === "chat.delta")
      .reduce((all, p) => all + String(p.data!["text"]), snapshot.text);
    expect(text.trim()).toBe(String(final.data!["text"]).trim());
    await second.close();
  });

  test("the login link works once, and the token it gives opens the socket", async () => {
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    const { url } = (await wire.result("login.link")) as { url: string };
    const ticket = new URL(url).hash.replace("#t=", "");
    const login = () =>
      fetch(`${gateway.url}/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ticket }),
      });
    const { token } = (await (await login()).json()) as { token: string };
    const browser = await Wire.authenticated(gateway.url, token);
    expect(await browser.result("sessions.list")).toBeDefined();
    expect((await login()).status).toBe(401);
    await Promise.all([wire.close(), browser.close()]);
  });

  test("a token has the scopes it was given and no more, and ends when it is revoked", async () => {
    const owner = await Wire.authenticated(gateway.url, gateway.token);
    const { token, info } = (await owner.result("tokens.create", { name: "script", scopes: ["chat"] })) as {
      token: string;
      info: { id: string };
    };
    const wire = await Wire.open(gateway.url);
    wire.send({ type: "auth", token, scopes: ["admin"], client: { name: "script" } });
    const { hello } = await wire.until((f) => f.type === "auth");
    expect(hello?.scopes).toEqual(["chat"]);
    expect((await wire.ask("tokens.list")).error).toMatchObject({
      code: -32002,
      data: { reason: "SCOPE_MISSING" },
    });
    await owner.result("tokens.revoke", { tokenId: info.id });
    expect(await wire.closeCode()).toBe(1008);
    await owner.close();
  });

  test("files are stored by content, fetched by ticket, and never served as a page", async () => {
    const html = "<script>alert(1)</script>";
    const headers = { authorization: `Bearer ${gateway.token}` };
    const stored = await fetch(`${gateway.url}/blobs`, {
      method: "POST",
      headers: { ...headers, "content-type": "text/html" },
      body: html,
    });
    const { blobId } = (await stored.json()) as { blobId: string };
    expect((await fetch(`${gateway.url}/blobs`, { method: "POST", body: "x" })).status).toBe(401);
    expect((await fetch(`${gateway.url}/blobs/${blobId}`)).status).toBe(401);
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    const { url } = (await wire.result("blobs.ticket", { blobId })) as { url: string };
    const fetched = await fetch(`${gateway.url}${url}`);
    expect(await fetched.text()).toBe(html);
    expect(fetched.headers.get("content-type")).toBe("application/octet-stream");
    expect(fetched.headers.get("content-disposition")).toBe("attachment");
    await wire.close();
  });
});

describe("with a loopback provider", () => {
  test("JV-4: Anthropic streams through the gateway, and the conversation so far goes along", async () => {
    const server = await startAnthropic();
    server.will(anthropic.reply("Bonjour."), anthropic.reply("Oui."));
    await using gateway = await startGatewayProcess({ env: anthropicEnv(server) });
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    const key = await openSession(wire);
    expect((await ending(wire, await send(wire, key, "say hi"))).data).toMatchObject({
      text: "Bonjour.",
      model: "anthropic/claude-sonnet-5-5",
      demo: false,
    });
    await ending(wire, await send(wire, key, "again"));
    const body = server.requests[1]!.body as {
      messages: { role: string; content: unknown }[];
      stream: boolean;
    };
    expect(body.stream).toBe(true);
    expect(body.messages.map((m) => m.role)).toEqual(["user", "assistant", "user"]);
    expect(JSON.stringify(body.messages[1])).toContain("Bonjour.");
    server.assertDone();
    await server.close();
  });

  test("JV-4: OpenAI streams through the same port", async () => {
    const server = await startOpenai();
    server.willRespond(responses.reply("Hallo."));
    await using gateway = await startGatewayProcess({
      env: {
        OPENAI_API_KEY: "sk-loopback-0000000000000000",
        OPENAI_BASE_URL: `${server.url}/v1`,
        ELWOOD_MODEL: "openai/gpt-5.5",
      },
    });
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    expect((await ending(wire, await send(wire, await openSession(wire), "hi"))).data).toMatchObject({
      text: "Hallo.",
      model: "openai/gpt-5.5",
    });
    server.assertDone();
    await server.close();
  });

  test("the prompt for hello is small, and its prefix is the same from turn to turn", async () => {
    const server = await startAnthropic();
    server.will(anthropic.reply("one"), anthropic.reply("two"));
    await using gateway = await startGatewayProcess({ env: anthropicEnv(server) });
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    const key = await openSession(wire);
    await ending(wire, await send(wire, key, "hello"));
    await ending(wire, await send(wire, key, "hello again"));
    const [first, second] = server.requests.map((r) => r.body as { system: unknown; messages: unknown[] });
    const { system, messages } = first!;
    expect(JSON.stringify({ system, messages }).length / 4).toBeLessThan(1_000);
    // With the contracts of all tools that are there without any setting.
    expect(JSON.stringify(first).length / 4).toBeLessThan(3_000);
    expect(second!.system).toEqual(first!.system);
    await server.close();
  });

  test("EL-8: SOUL.md is read anew for every run", async () => {
    const server = await startAnthropic();
    server.will(anthropic.reply("one"), anthropic.reply("two"));
    await using gateway = await startGatewayProcess({ env: anthropicEnv(server) });
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    const key = await openSession(wire);
    await ending(wire, await send(wire, key, "hello"));
    const soul = join(gateway.home, "workspace/SOUL.md");
    const { writeFileSync } = await import("node:fs");
    writeFileSync(soul, `${readFileSync(soul, "utf8")}\nAlways mention heliotrope.\n`);
    await ending(wire, await send(wire, key, "hello"));
    const systems = server.requests.map((r) => JSON.stringify((r.body as { system: unknown }).system));
    expect(systems[0]).not.toContain("heliotrope");
    expect(systems[1]).toContain("heliotrope");
    await server.close();
  });

  test("two messages in one session run one after the other; another session runs meanwhile (EL-2)", async () => {
    const server = await startAnthropic();
    const door = gate();
    server.will(
      anthropic.stream([
        ...anthropic.events({ content: [{ type: "text", text: "slow" }] }).slice(0, 3),
        { wait: door },
        ...anthropic.events({ content: [{ type: "text", text: "slow" }] }).slice(3),
      ]),
      anthropic.reply("other session"),
      anthropic.reply("second"),
    );
    await using gateway = await startGatewayProcess({ env: anthropicEnv(server) });
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    const [a, b] = [await openSession(wire), await openSession(wire)];
    const first = await send(wire, a, "one");
    await wire.until((f) => f.event === "run.started" && f.data?.["runId"] === first);
    // The answer that waits is its own.
    await server.untilRequests(1);
    const second = await send(wire, a, "two");
    await wire.until((f) => f.event === "run.queued" && f.data?.["runId"] === second);
    const other = await send(wire, b, "three");
    expect((await ending(wire, other)).data).toMatchObject({ text: "other session" });
    door.open();
    expect((await ending(wire, first)).data).toMatchObject({ text: "slow" });
    expect((await ending(wire, second)).data).toMatchObject({ text: "second" });
    await server.close();
  });

  test("a picture that the owner attached reaches the model", async () => {
    const server = await startAnthropic();
    server.will(anthropic.reply("A dot."));
    await using gateway = await startGatewayProcess({ env: anthropicEnv(server) });
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    const stored = await fetch(`${gateway.url}/blobs`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.token}`, "content-type": "image/png" },
      body: png,
    });
    const { blobId } = (await stored.json()) as { blobId: string };
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    const runId = await send(wire, await openSession(wire), "what is this?", {
      parts: [{ kind: "blob", blobId, name: "dot.png", origin: "attached" }],
    });
    expect((await ending(wire, runId)).data).toMatchObject({ text: "A dot." });
    expect(server.requests[0]!.text).toContain(png.toString("base64"));
    await server.close();
  });
});

describe("after kill -9", () => {
  test("EL-1 JV-12: history survives, and a run cut in the middle is answered after the restart", async () => {
    const server = await startAnthropic();
    const door = gate();
    server.will(
      anthropic.reply("First answer."),
      anthropic.stream([
        ...anthropic
          .events({ content: [{ type: "text", text: "Half an answer", pieces: ["Half an ", "answer"] }] })
          .slice(0, 4),
        { wait: door },
      ]),
      anthropic.reply("Whole answer."),
    );
    const home = temporaryHome();
    const options = { home: home.path, env: anthropicEnv(server) };
    const before = await startGatewayProcess(options);
    const wire = await Wire.authenticated(before.url, before.token, { name: "t", drafts: true });
    const key = await openSession(wire);
    await ending(wire, await send(wire, key, "one"));
    const runId = await send(wire, key, "two");
    await wire.until((f) => f.event === "chat.delta" && f.data?.["runId"] === runId);
    const seen = Math.max(...wire.pushesOf(runId).map((p) => p.data!["seq"] as number));
    await before.kill();

    const after = await startGatewayProcess(options);
    const again = await Wire.authenticated(after.url, after.token, { name: "t", drafts: true });
    const { snapshot, seq } = (await again.result("chat.resume", { runId, afterSeq: seen })) as {
      snapshot: { status: string };
      seq: number;
    };
    if (snapshot.status !== "done") await ending(again, runId);
    expect(seq).toBeGreaterThan(seen);
    expect(await contentsOf(again, key)).toEqual(["one", "First answer.", "two", "Whole answer."]);
    const lines = readFileSync(join(home.path, "sessions/default", `${key}.jsonl`), "utf8")
      .trim()
      .split("\n")
      .map((l) => JSON.parse(l) as { run: string; i: number; n: number });
    expect(lines.map((l) => [l.i, l.n])).toEqual([
      [0, 2],
      [1, 2],
      [0, 2],
      [1, 2],
    ]);
    await after.stop();
    door.open();
    await server.close();
    home.remove();
  });

  test("a message that was acknowledged is never lost, whenever the plug is pulled", async () => {
    const home = temporaryHome();
    let key = "";
    const acknowledged: string[] = [];
    for (let round = 0; round < 3; round++) {
      const gateway = await startGatewayProcess({ home: home.path });
      const wire = await Wire.authenticated(gateway.url, gateway.token);
      key ||= await openSession(wire);
      for (let i = 0; i < 4; i++) {
        const text = `message ${round}.${i}`;
        await send(wire, key, text);
        acknowledged.push(text);
      }
      await gateway.kill();
    }
    const gateway = await startGatewayProcess({ home: home.path });
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    const { runs } = (await wire.result("sessions.get", { sessionKey: key })) as {
      runs: { runId: string }[];
    };
    for (const run of runs) {
      const { snapshot } = (await wire.result("chat.resume", { runId: run.runId })) as {
        snapshot: { status: string };
      };
      if (!["done", "failed", "aborted"].includes(snapshot.status)) await ending(wire, run.runId);
    }
    const { messages } = (await wire.result("sessions.get", { sessionKey: key })) as {
      messages: { role: string; content: string; runId: string }[];
    };
    expect(messages.filter((m) => m.role === "user").map((m) => m.content)).toEqual(acknowledged);
    expect(messages.filter((m) => m.role === "assistant")).toHaveLength(acknowledged.length);
    await gateway.stop();
    home.remove();
  });
});
