import { cut, raw } from "@elwood/testkit/answers";
import { anthropic, startAnthropic } from "@elwood/testkit/anthropic-server";
import { startGatewayProcess } from "@elwood/testkit/gateway-process";
import type { Answer } from "@elwood/testkit/loopback-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { anthropicEnv, contentsOf, ending, openSession, send, streamedText } from "./conversation.ts";
import { begun, faultScene, type FaultScene, type Played } from "./fault-scene.ts";

let scene: FaultScene;
beforeAll(async () => {
  scene = await faultScene();
});
afterAll(() => scene.close());

const soon = { "retry-after-ms": "20" };
const noticesOf = ({ pushes }: Played) =>
  pushes.filter((f) => f.event === "chat.notice").map((f) => f.data!["code"]);

describe("JV-4: faults that pass are tried again, told meanwhile, and the answer is right once", () => {
  test.each<[string, Answer, string]>([
    ["529 before a word", anthropic.error(529, { headers: soon }), "OVERLOADED"],
    ["429 with retry-after-ms", anthropic.error(429, { headers: soon }), "RATE_LIMITED"],
    [
      "429 with retry-after in seconds",
      anthropic.error(429, { headers: { "retry-after": "0" } }),
      "RATE_LIMITED",
    ],
    [
      "500 with an HTML page",
      raw(500, "<h1>oops</h1>", { "content-type": "text/html", ...soon }),
      "UPSTREAM_ERROR",
    ],
    ["a connection cut before a byte", cut(), "NETWORK"],
    [
      "a stream cut in the middle of JSON",
      anthropic.stream([
        ...begun("Wrong "),
        'event: content_block_delta\ndata: {"type":"conte',
        { cut: true },
      ]),
      "NETWORK",
    ],
    ["a stream that just ends", anthropic.stream(begun("Wrong ")), "NETWORK"],
    [
      "overload after 200",
      anthropic.stream([...begun("Wrong "), anthropic.errorEvent("overloaded_error")]),
      "OVERLOADED",
    ],
  ])("%s", async (what, fault, code) => {
    const played = await scene.play(fault, anthropic.reply("Right."));
    expect(played.data).toMatchObject({ text: "Right.", stopReason: "end_turn" });
    expect(noticesOf(played)).toEqual([code]);
    expect(streamedText(played.pushes)).toBe("Right.");
    const resets = played.pushes.filter((f) => f.data!["reset"] === true);
    expect(resets).toHaveLength(/stream|after 200/.test(what) ? 1 : 0);
    expect(await contentsOf(scene.wire, played.sessionKey)).toEqual([
      "go",
      "Right.",
      "and now?",
      "Still here.",
    ]);
  });

  test("a client that cannot take text back is told in words that the answer begins again", async () => {
    scene.server.will(anthropic.stream([...begun("Wrong "), { cut: true }]), anthropic.reply("Right."));
    const plain = await Wire.authenticated(scene.gateway.url, scene.gateway.token);
    const runId = await send(plain, await openSession(plain), "go");
    expect((await ending(plain, runId)).data).toMatchObject({ text: "Right." });
    expect(streamedText(plain.pushesOf(runId))).toMatch(/^Wrong ?\n\n\[.*begins again.*\]\n\nRight\.$/);
    await plain.close();
  });
});

describe("AC-15: faults that stay end the run with a code and a sentence that has no word of the provider's", () => {
  const PROSE = "internal-detail-of-the-provider";
  const TELLING = ["402", "429 for an hour", "400", "an error after 200"];
  const failing = (status: number, type?: string, headers = {}) =>
    anthropic.error(status, {
      message: PROSE,
      headers: { "x-should-retry": "false", ...headers },
      ...(type ? { type } : {}),
    });

  test.each<[string, Answer, string, RegExp]>([
    ["401", failing(401), "AUTH", /key ending …0000.*\(401.*Nothing was sent twice.*elwood auth anthropic/],
    ["402", failing(402), "BILLING", /no credit left.*elwood auth anthropic/],
    ["403", failing(403), "AUTH", /does not let the key ending …0000/],
    ["404 for the model", failing(404), "MODEL_UNKNOWN", /does not know the model claude-sonnet-5-5/],
    ["413", failing(413), "CONTEXT_FULL", /larger than Anthropic takes.*new session/],
    [
      "429 for an hour",
      failing(429, undefined, { "retry-after": "3600", "x-should-retry": "true" }),
      "RATE_LIMITED",
      /in 60 min.*Your message is kept/,
    ],
    ["400", failing(400), "BAD_REQUEST", /did not accept the request/],
    [
      "a prompt too long",
      anthropic.error(400, { message: "prompt is too long: 210000 tokens > 200000 maximum" }),
      "CONTEXT_FULL",
      /no longer fits.*new session/,
    ],
    [
      "a redirect",
      raw(302, "", { location: "http://127.0.0.1:9/steal" }),
      "BAD_REQUEST",
      /points to another address.*not followed/,
    ],
    [
      "200 with an HTML page",
      raw(200, "<h1>Welcome to the hotel network</h1>", { "content-type": "text/html" }),
      "BAD_REPLY",
      /not a valid answer/,
    ],
    [
      "JSON that is broken inside a whole event",
      anthropic.stream([...begun("Half"), `event: content_block_delta\ndata: {"type": ${PROSE}}\n\n`]),
      "BAD_REPLY",
      /not a valid answer.*What had come by then is kept/,
    ],
    [
      "an error after 200",
      anthropic.stream([...begun("Half"), anthropic.errorEvent("invalid_request_error", PROSE)]),
      "BAD_REQUEST",
      /did not accept/,
    ],
  ])("%s", async (what, answer, code, sentence) => {
    const { ending: end, data, sessionKey } = await scene.play(answer);
    expect(end.event).toBe("chat.error");
    expect(data["code"]).toBe(code);
    expect(data["message"]).toMatch(sentence);
    // One line of the provider's goes beside the sentence, for the owner alone, where ours says little.
    const { said, ...rest } = data;
    expect(JSON.stringify(rest)).not.toContain(PROSE);
    expect(said).toBe(TELLING.includes(what) ? PROSE : undefined);
    const [, ...kept] = await contentsOf(scene.wire, sessionKey);
    expect(kept.join(" ")).not.toContain(PROSE);
    expect(kept.slice(0, -2).join(" ")).toContain(data["message"]);
  });

  test("a provider that is not there", async () => {
    const gone = await startAnthropic();
    const env = anthropicEnv(gone);
    await gone.close();
    await using own = await startGatewayProcess({ env });
    const client = await Wire.authenticated(own.url, own.token);
    const key = await openSession(client);
    const runId = await send(client, key, "go");
    const notice = await client.until((f) => f.event === "chat.notice");
    expect(notice.data).toMatchObject({
      code: "NETWORK",
      message: expect.stringMatching(/cannot be reached at 127\.0\.0\.1:\d+.*attempt 2 of 4/),
    });
    await client.result("chat.abort", { runId });
    expect((await ending(client, runId)).data).toMatchObject({ aborted: true });
  });
});
