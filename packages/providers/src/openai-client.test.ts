import { LIMITS } from "@elwood/core/base/limits";
import type { ModelRequest } from "@elwood/core/model/model";
import { chat } from "@elwood/testkit/chat-wire";
import { listen, READ_TOOL, requestOf, retryingClock, said } from "@elwood/testkit/contract-request";
import { startOpenai } from "@elwood/testkit/openai-server";
import { responses } from "@elwood/testkit/responses-wire";
import { OpenAI } from "openai";
import { describe, expect, onTestFinished, test } from "vitest";
import type { BlobBytes } from "./attachments.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import { makeOpenaiChat, toBody as chatBody, toParams as chatParams } from "./openai-chat.ts";
import { openaiEvents } from "./openai-client.ts";
import { makeOpenaiResponses, toBody, toParams } from "./openai-responses.ts";
import { StreamedError } from "./read-failure.ts";
import { RequestBodies } from "./request-bodies.ts";

const SHAPE = { stream: true, streamOptions: true, maxTokens: "old", effort: false, oneCall: true } as const;
const tools = [
  READ_TOOL,
  { ...READ_TOOL, toolId: "files.file.list", description: "Lists “files” \u2028 🐾" },
];

describe("what goes over the wire", () => {
  const blobs: BlobBytes = new Map([["blob_1", new Uint8Array([137, 80, 78, 71])]]);
  const messages = [
    said(
      "user",
      { type: "text", text: 'What is “that”? \ud800 "\\" \n' },
      { type: "image", blobId: "blob_1", mime: "image/png" },
    ),
    said("assistant", { type: "text", text: "A cat." }),
    said("user", { type: "text", text: "And now?" }),
  ];
  const requests: Record<string, Partial<ModelRequest>> = {
    "nothing but a message": { system: "" },
    instructions: { system: "You are “brief”. 🐾\u2028" },
    tools: { tools },
    "one call at a time": { tools, parallelCalls: false },
    "a conversation with a picture": { tools, messages },
    "an effort": { model: "gpt-5.5", effort: "high", tools },
    "a key for the cache": { cacheKey: "ses_1", tools },
    sampling: { model: "gpt-4o", temperature: 0.5, topP: 0.9 },
  };

  test("is the JSON of its parameters, byte for byte, also where the tools are known", () => {
    const [ofChat, ofResponses] = [new RequestBodies(), new RequestBodies()];
    for (const round of ["first", "second"])
      for (const [name, change] of Object.entries(requests)) {
        const request = requestOf(change);
        expect(toBody(request, blobs, "openai", ofResponses).toString(), `${name}, ${round}`).toBe(
          JSON.stringify(toParams(request, blobs, "openai")),
        );
        const shape = { ...SHAPE, effort: change.effort !== undefined };
        expect(chatBody(request, blobs, shape, ofChat).toString(), `${name}, ${round}`).toBe(
          JSON.stringify(chatParams(request, blobs, shape)),
        );
      }
  });

  test("has the head that the SDK gives its own requests", async () => {
    const server = await startOpenai();
    onTestFinished(() => server.close());
    const { baseUrl } = server;
    const credential = { type: "api_key", secret: "sk-test-key", source: "OPENAI_API_KEY" } as const;
    const who = { id: "openai", label: "OpenAI", baseUrl, local: false, credential };
    const options = { who, clock: retryingClock(), random: () => 0.5, headers: { "x-own": "1" } };
    const client = new OpenAI({
      apiKey: credential.secret,
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      baseURL: baseUrl,
      defaultHeaders: { "x-own": "1" },
      maxRetries: 0,
      timeout: LIMITS.modelAnswerMs,
      logLevel: "off",
      fetch: guardedFetch(() => {}),
    });
    const request = requestOf({ model: "gpt-5.5", tools });
    server.willChat(chat.reply("ok"), chat.reply("ok"));
    await listen(makeOpenaiChat(options), request);
    await client.chat.completions.create({ ...chatParams(request, new Map(), SHAPE), stream: true });
    server.willRespond(responses.reply("ok"), responses.reply("ok"));
    await listen(makeOpenaiResponses(options), request);
    await client.responses.create(toParams(request, new Map(), "openai"));
    const [ownChat, theirChat, ownResponse, theirResponse] = server.requests;
    for (const [own, theirs] of [
      [ownChat!, theirChat!],
      [ownResponse!, theirResponse!],
    ] as const) {
      expect(own).toMatchObject({ path: theirs.path, text: theirs.text, headers: theirs.headers });
      expect(Object.keys(own.headers)).toEqual(Object.keys(theirs.headers));
    }
  });
});

describe("the events of an answer", () => {
  async function read(...pieces: string[]): Promise<unknown[]> {
    async function* each() {
      for (const piece of pieces) yield Buffer.from(piece);
    }
    const events: unknown[] = [];
    for await (const some of openaiEvents({ pieces: each(), headers: () => new Headers({ "x-a": "1" }) }))
      events.push(...some);
    return events;
  }

  test("end with the word for it, in one piece or in many", async () => {
    const pieces = [
      'data: {"a":1}\n\nda',
      'ta: {"a":2}\n\n',
      "data: [DONE]\n\ndata: no JSON\n\n",
      "data: nor this\n\n",
    ];
    expect(await read(...pieces)).toEqual([{ a: 1 }, { a: 2 }]);
    expect(await read(pieces.join(""))).toEqual([{ a: 1 }, { a: 2 }]);
  });

  test("may leave out the end of the last one", async () => {
    expect(await read('data: {"a":1}\n\ndata: {"a":2}')).toEqual([{ a: 1 }, { a: 2 }]);
    expect(await read('data: {"a":1}\n\ndata: [DONE]')).toEqual([{ a: 1 }]);
  });

  test.each([
    ['data: {"error":{"code":"x"}}\n\n', { code: "x" }],
    ['event: error\ndata: {"error":{"code":"x"}}\n\n', { code: "x" }],
    ['event: error\ndata: {"type":"error","code":"x"}\n\n', { type: "error", code: "x" }],
  ])("report an error as one: %j", async (text, error) => {
    const told = await read(text).catch((cause: unknown) => cause);
    expect(told).toBeInstanceOf(StreamedError);
    expect(told).toMatchObject({ error });
    expect((told as StreamedError).headers?.get("x-a")).toBe("1");
  });

  test("are no answer where they are no JSON", async () => {
    await expect(read("data: {\n\n")).rejects.toBeInstanceOf(SyntaxError);
  });
});
