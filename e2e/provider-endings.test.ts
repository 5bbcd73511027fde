import { gate, never, type StreamPart } from "@elwood/testkit/answers";
import { anthropic } from "@elwood/testkit/anthropic-server";
import { startGatewayProcess } from "@elwood/testkit/gateway-process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { anthropicEnv, ask, ending, openSession, send } from "./conversation.ts";
import { begun, faultScene, type FaultScene } from "./fault-scene.ts";

let scene: FaultScene;
beforeAll(async () => {
  scene = await faultScene();
});
afterAll(() => scene.close());

describe("ends that are no faults", () => {
  test("a refusal is told as one, and what was said before it is kept", async () => {
    const refusal = anthropic.reply("I would rather not.", {
      stop: "refusal",
      stopDetails: { type: "refusal", category: "cyber" },
    });
    const { data } = await scene.play(refusal);
    expect(data).toMatchObject({ code: "REFUSED", text: "I would rather not." });
    expect(data["message"]).toMatch(/declined.*Rephrase/);
  });

  test("an answer at its length limit says so and how to go on", async () => {
    const { data } = await scene.play(anthropic.reply("Once upon", { stop: "max_tokens" }));
    expect(data).toMatchObject({
      text: "Once upon",
      stopReason: "max_tokens",
      note: expect.stringContaining('"continue"'),
    });
  });

  test("a context that ran full in the middle is told as that", async () => {
    const { data } = await scene.play(anthropic.reply("Once", { stop: "model_context_window_exceeded" }));
    expect(data).toMatchObject({ code: "CONTEXT_FULL", text: "Once" });
  });

  test("an empty answer is asked for once more, and a second one is an answer with a note", async () => {
    const nothing = anthropic.message({ content: [] });
    const { data } = await scene.play(nothing, nothing);
    expect(data).toMatchObject({ text: "", note: expect.stringContaining("without saying anything") });
  });

  test("events, blocks and fields that nobody knows yet do no harm", async () => {
    const all = anthropic.events({ content: [{ type: "text", text: "All of it." }] });
    const unknown = anthropic.event("content_block_sparkle", { index: 0, sparkle: { deep: [1, 2] } });
    const oddDelta = anthropic.event("content_block_delta", {
      index: 0,
      delta: { type: "mood_delta", mood: "fine" },
    });
    const stream: StreamPart[] = [
      all[0]!,
      ": a comment\n\n",
      unknown,
      ...all.slice(1, 4),
      oddDelta,
      unknown,
      ...all.slice(4),
    ];
    expect((await scene.play(anthropic.stream(stream))).data).toMatchObject({ text: "All of it." });
    const dripped = anthropic.stream([{ drip: all.join("") }]);
    expect((await scene.play(dripped)).data).toMatchObject({ text: "All of it." });
  });

  test.each([
    ["a tool that does not exist", { name: "fax__page__send", input: { to: "1" } }, "There is no tool"],
    [
      "a tool with arguments that are no JSON",
      { name: "files__file__read", json: '{"path": "/etc' },
      "not valid JSON",
    ],
    ["a tool by a name no tool can have", { name: "rm -rf", input: {} }, "There is no tool"],
  ])("a model that calls %s is told so, and still answers", async (_what, call, told) => {
    const { data, pushes } = await scene.play(
      anthropic.tools([call], { text: "Let me see." }),
      anthropic.reply("I cannot do that."),
    );
    expect(data).toMatchObject({ text: "I cannot do that.", evidence: expect.not.stringContaining("✓") });
    expect(pushes.map((f) => f.event)).toContain("tool.finished");
    const body = JSON.stringify(scene.server.requests.at(-2)!.body);
    expect(body).toContain('"is_error":true');
    expect(body).toContain(told);
  });
});

describe("a provider that keeps us waiting", () => {
  test("one that never answers is left when the owner stops the run", async () => {
    scene.server.will(never(), anthropic.reply("Back."));
    const key = await openSession(scene.wire);
    const before = scene.server.requests.length;
    const runId = await send(scene.wire, key, "go");
    await scene.server.untilRequests(before + 1);
    await scene.wire.result("chat.abort", { runId });
    expect((await ending(scene.wire, runId)).data).toMatchObject({ aborted: true, text: "" });
    await expect.poll(() => scene.server.requests.at(-1)!.hungUp).toBe(true);
    expect((await ask(scene.wire, key, "again")).data).toMatchObject({ text: "Back." });
  });

  test("one that drips without end is stopped at the run's time limit, and its text is kept", async () => {
    await using own = await startGatewayProcess({
      config: "limits:\n  minutes: 0.02\n",
      env: anthropicEnv(scene.server),
    });
    const door = gate();
    scene.server.will(
      anthropic.stream([...begun("So far."), { wait: door }]),
      never(),
      anthropic.reply("Back."),
    );
    const client = await Wire.authenticated(own.url, own.token);
    const key = await openSession(client);
    const dripped = await ask(client, key, "go");
    expect(dripped.data).toMatchObject({ code: "TIME_LIMIT", text: "So far." });
    expect(dripped.data!["message"]).toMatch(/limits\.minutes/);
    expect((await ask(client, key, "go")).data).toMatchObject({ code: "TIME_LIMIT", text: "" });
    expect((await ask(client, key, "again")).data).toMatchObject({ text: "Back." });
    door.open();
  });
});
