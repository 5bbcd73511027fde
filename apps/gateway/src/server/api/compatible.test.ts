import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Anthropic, InternalServerError, NotFoundError as NoSuchModel } from "@anthropic-ai/sdk";
import { LIMITS } from "@elwood/core/base/limits";
import { GatewayClient } from "@elwood/sdk/client";
import { gate } from "@elwood/testkit/answers";
import { anthropic as anthropicWire, startAnthropic } from "@elwood/testkit/anthropic-server";
import { chat } from "@elwood/testkit/chat-wire";
import { startEmbeddings, type EmbeddingsServer } from "@elwood/testkit/embeddings-server";
import { openaiError, startOpenai, type OpenaiServer } from "@elwood/testkit/openai-server";
import { AuthenticationError, BadRequestError, NotFoundError, OpenAI } from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestGateway, type StartedGateway } from "../../../test/test-gateway.ts";

/** The vendors' own clients, unmodified, against Elwood, which asks a server of the same format. */

let provider: OpenaiServer;
let embedder: EmbeddingsServer;
let claude: Awaited<ReturnType<typeof startAnthropic>>;
let started: StartedGateway;
let owner: GatewayClient;
let openai: OpenAI;
let anthropic: Anthropic;
/** What was told of requests to models that ended. */
const ended: { readonly answer: readonly { readonly text: string }[] }[] = [];
beforeAll(async () => {
  provider = await startOpenai();
  embedder = await startEmbeddings();
  claude = await startAnthropic();
  const config = `
api: { openai: true, anthropic: true }
model: demo/scripted
prices: [{ match: here/deep-1, input: 0, output: 1000 }]
providers:
  here: { baseUrl: ${provider.baseUrl} }
  vectors: { baseUrl: ${embedder.baseUrl} }
  there: { baseUrl: ${claude.url}, api: anthropic }
actions:
  helper: { model: here/local-1, system: Be brief. }
  thinker: { model: here/deep-1 }
  reader: { model: there/claude-1 }
  search: { task: embed, model: vectors/words-1 }
`;
  const quiet = () => {};
  const debug = (text: string, about?: object) => {
    if (text === "a request to a model ended") ended.push(about as (typeof ended)[0]);
  };
  started = await startTestGateway({ config, log: { error: quiet, warn: quiet, info: quiet, debug } });
  const { url, ownerToken } = started.gateway;
  owner = await GatewayClient.connect({ url, token: ownerToken });
  const made = await owner.call("tokens.create", { name: "program", scopes: ["execute", "chat"] });
  openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: made.token, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: url, apiKey: made.token, maxRetries: 0 });
});
afterAll(async () => {
  await owner.close();
  await started[Symbol.asyncDispose]();
  await provider.close();
  await embedder.close();
  await claude.close();
});

const hi = [{ role: "user" as const, content: "hi" }];
const weather = {
  name: "get_weather",
  description: "The weather.",
  schema: { type: "object", properties: { city: { type: "string" } } },
};

test("OpenAI's client gets answers whole and as a stream, with usage in a last chunk without choices", async () => {
  provider.willChat(chat.reply("Hello there"), chat.reply("Streamed answer"));
  const whole = await openai.chat.completions.create({ model: "helper", messages: hi });
  expect(whole.choices[0]).toMatchObject({
    finish_reason: "stop",
    message: { role: "assistant", content: "Hello there" },
  });
  expect(whole.usage?.total_tokens).toBeGreaterThan(0);
  const stream = await openai.chat.completions.create({
    model: "helper@v1",
    messages: hi,
    stream: true,
    stream_options: { include_usage: true },
  });
  let text = "";
  let last: OpenAI.ChatCompletionChunk | undefined;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? "";
    last = chunk;
  }
  expect(text).toBe("Streamed answer");
  expect(last).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
});

test("AC-11: what the model thought is told and priced as part of its answer, wherever its server counts it", async () => {
  const usage = { prompt: 10, completion: 20, reasoning: 15 };
  provider.willChat(
    chat.reply("a", { usage }),
    chat.reply("b", { usage: { ...usage, completion: 5, beside: true } }),
    chat.reply("c", { usage }),
  );
  for (let i = 0; i < 2; i++) {
    const answer = await openai.chat.completions.create({ model: "thinker", messages: hi });
    expect(answer.usage).toMatchObject({
      prompt_tokens: 10,
      completion_tokens: 20,
      total_tokens: 30,
      completion_tokens_details: { reasoning_tokens: 15 },
    });
  }
  const response = await openai.responses.create({ model: "thinker", input: "hi" });
  expect(response.usage).toMatchObject({
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 15 },
  });
  const { models } = await owner.call("usage.summary", {});
  // Three answers of 20 tokens each, at a dollar for a thousand.
  expect(models.find(({ model }) => model === "here/deep-1")).toMatchObject({ laps: 3, costUsd: 0.06 });
});

test("of a streamed answer only the beginning is kept in memory, of a whole one all", async () => {
  const words = "word ".repeat(LIMITS.passedOnCharsKept);
  provider.willChat(chat.reply(words), chat.reply(words), chat.reply(words));
  const text = () =>
    ended
      .at(-1)
      ?.answer.map((block) => block.text)
      .join("");
  const whole = await openai.chat.completions.create({ model: "helper", messages: hi });
  expect(whole.choices[0]?.message.content).toBe(words);
  expect(text()).toBe(words);
  const streamed = await openai.chat.completions
    .stream({ model: "helper", messages: hi })
    .finalChatCompletion();
  expect(streamed.choices[0]?.message.content).toBe(words);
  expect(text()).toBe(words.slice(0, LIMITS.passedOnCharsKept));
  const message = await anthropic.messages
    .stream({ model: "helper", max_tokens: 100, messages: hi })
    .finalMessage();
  expect(message.content).toMatchObject([{ type: "text", text: words }]);
  expect(text()).toBe(words.slice(0, LIMITS.passedOnCharsKept));
});

test("tools of the client pass through and come back with their results, in both formats", async () => {
  const { name, description, schema } = weather;
  const call = { id: "call_1", name, input: { city: "Rome" } };
  provider.willChat(chat.tools([call]), chat.reply("Sunny."));
  const tools = [{ type: "function" as const, function: { name, description, parameters: schema } }];
  const asked = await openai.chat.completions.create({ model: "helper", messages: hi, tools });
  const message = asked.choices[0]!.message;
  expect(asked.choices[0]?.finish_reason).toBe("tool_calls");
  const [made] = message.tool_calls ?? [];
  expect(made).toMatchObject({ type: "function", function: { name } });
  const answered = await openai.chat.completions.create({
    model: "helper",
    tools,
    messages: [...hi, message, { role: "tool", tool_call_id: made!.id, content: "sunny" }],
  });
  expect(answered.choices[0]?.message.content).toBe("Sunny.");

  provider.willChat(chat.tools([call]));
  const streamed = await anthropic.messages
    .stream({
      model: "helper",
      max_tokens: 100,
      messages: hi,
      tools: [{ name, description, input_schema: { type: "object", properties: {} } }],
    })
    .finalMessage();
  expect(streamed.stop_reason).toBe("tool_use");
  expect(streamed.content.at(-1)).toMatchObject({ type: "tool_use", name });
});

test("OpenAI's client gets responses whole, from text and from items, with instructions first", async () => {
  provider.willChat(chat.reply("Hello there"), chat.reply("A cat"));
  const whole = await openai.responses.create({ model: "helper", instructions: "Kindly.", input: "hi" });
  expect(whole).toMatchObject({
    object: "response",
    status: "completed",
    output_text: "Hello there",
    output: [{ type: "message", role: "assistant", status: "completed" }],
    usage: { input_tokens: expect.any(Number), total_tokens: expect.any(Number) },
    store: false,
  });
  const asked = provider.requests.at(-1)?.body as { messages: { role: string; content: unknown }[] };
  expect(JSON.stringify(asked.messages[0])).toMatch(/Be brief\..*Kindly\./);
  const pixel = `data:image/png;base64,${Buffer.from("png").toString("base64")}`;
  const seen = await openai.responses.create({
    model: "helper",
    input: [
      { role: "developer", content: "Look." },
      { role: "assistant", content: "Show me." },
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "What is it?" },
          { type: "input_image", image_url: pixel, detail: "auto" },
        ],
      },
    ],
  });
  expect(seen.output_text).toBe("A cat");
  expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain(pixel);
});

test("OpenAI's client gets a response as a stream, each event in its place, and it adds up to the whole", async () => {
  provider.willChat(chat.reply("Streamed answer"), chat.reply("Cut", { finish: "length" }));
  const types: string[] = [];
  const numbers: number[] = [];
  const stream = openai.responses.stream({ model: "helper", input: "hi" });
  for await (const event of stream) {
    if (types.at(-1) !== event.type) types.push(event.type);
    numbers.push(event.sequence_number);
  }
  expect(types).toEqual([
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
  ]);
  expect(numbers).toEqual(numbers.map((_, i) => i));
  const final = await stream.finalResponse();
  expect(final).toMatchObject({ status: "completed", output_text: "Streamed answer" });
  expect(final.usage?.output_tokens).toBeGreaterThan(0);
  const cut = await openai.responses.stream({ model: "helper", input: "hi" }).finalResponse();
  expect(cut).toMatchObject({
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    output_text: "Cut",
  });
});

test("tools of a response's client come back as function calls, and their outputs go to the model", async () => {
  const { name, description, schema: parameters } = weather;
  const tools = [{ type: "function" as const, name, description, parameters, strict: false }];
  const calls = ["Rome", "Oslo"].map((city, i) => ({ id: `call_${i}`, name, input: { city } }));
  provider.willChat(chat.tools(calls), chat.reply("Sunny."));
  const stream = openai.responses.stream({ model: "helper", input: "hi", tools });
  const { output } = await stream.finalResponse();
  expect(output).toMatchObject([
    { type: "function_call", name, arguments: '{"city":"Rome"}' },
    { type: "function_call", name, arguments: '{"city":"Oslo"}' },
  ]);
  const made = output.filter((each) => each.type === "function_call");
  const answered = await openai.responses.create({
    model: "helper",
    tools,
    input: [
      { role: "user", content: "hi" },
      ...made,
      ...made.map(({ call_id }) => ({
        type: "function_call_output" as const,
        call_id,
        output: `sunny ${call_id}`,
      })),
    ],
  });
  expect(answered.output_text).toBe("Sunny.");
  // The vendor's format wants both calls in one message, and each result after it.
  expect(provider.requests.at(-1)?.body).toMatchObject({
    messages: [
      {},
      { role: "user" },
      { role: "assistant", tool_calls: [{}, {}] },
      { role: "tool" },
      { role: "tool" },
    ],
  });
});

test("what a response cannot do is refused in words, and what fails within its stream reaches its client", async () => {
  const refused = (more: object) => openai.responses.create({ model: "helper", input: "hi", ...more });
  const before = provider.requests.length;
  await expect(refused({ previous_response_id: "resp_1" })).rejects.toThrow(/whole conversation/);
  await expect(refused({ background: true })).rejects.toThrow(/api\/v1\/runs/);
  await expect(refused({ tools: [{ type: "web_search" }] })).rejects.toThrow(/functions of your own/);
  await expect(refused({ tool_choice: "required" })).rejects.toBeInstanceOf(BadRequestError);
  await expect(refused({ input: [{ type: "item_reference", id: "x" }] })).rejects.toThrow(
    /is text, or a list/,
  );
  // Also as a stream these are answers of their own, not events of one that has begun.
  await expect(refused({ model: "nobody", stream: true })).rejects.toBeInstanceOf(NotFoundError);
  expect(provider.requests).toHaveLength(before);
  provider.willChat(openaiError(401, { message: "no" }));
  await expect(openai.responses.stream({ model: "helper", input: "hi" }).finalResponse()).rejects.toThrow(
    /key|refused|accept/i,
  );
});

test("OpenAI's client gets embeddings, as numbers and packed, and only from an action that makes them", async () => {
  const input = ["one lighthouse", "two"];
  // The client asks for them packed unless told, and unpacks them.
  const packed = await openai.embeddings.create({ model: "search", input });
  const plain = await openai.embeddings.create({ model: "search@latest", input, encoding_format: "float" });
  expect(packed.data.map(({ index, embedding }) => [index, embedding.length])).toEqual([
    [0, 64],
    [1, 64],
  ]);
  expect(plain.data[0]!.embedding.map(Math.fround)).toEqual([...packed.data[0]!.embedding]);
  expect(plain.usage.total_tokens).toBeGreaterThan(0);
  const short = await openai.embeddings.create({ model: "search", input: "one", dimensions: 8 });
  expect(short.data[0]?.embedding).toHaveLength(8);
  await expect(openai.embeddings.create({ model: "helper", input: "x" })).rejects.toThrow(/no embeddings/);
});

test("what waits for the owner is told in the stream with a link, and the stream goes on once it is decided", async () => {
  const folder = join(started.home, "workspace/agents/writer");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "SOUL.md"), "A writer.");
  writeFileSync(join(folder, "agent.yaml"), "model: here/local-1\ntools: [files.*]\n");
  const write = { name: "files__file__write", input: { path: "list.txt", content: "milk" } };
  provider.willChat(chat.tools([write]), chat.reply("I wrote list.txt."));
  const messages = [{ role: "user" as const, content: "write the list" }];
  const stream = await openai.chat.completions.create({ model: "elwood/writer", messages, stream: true });
  let text = "";
  let decided = 0;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? "";
    if (decided > 0 || !text.includes("waits for its owner")) continue;
    expect(text).toContain(`${started.gateway.url}/approvals`);
    const { approvals } = await owner.call("approvals.list", { status: "pending" });
    decided = approvals.length;
    for (const { approvalId } of approvals) await owner.call("exec.approve", { approvalId });
  }
  expect(decided).toBe(1);
  // The agent's answer, and under it the gateway's own line.
  expect(text.slice(text.indexOf("/approvals"))).toMatch(/I wrote list\.txt\.[^]*list\.txt/);
});

test("Anthropic's client gets answers whole and as a stream", async () => {
  provider.willChat(chat.reply("Hello there"), chat.reply("Streamed answer"));
  const whole = await anthropic.messages.create({
    model: "helper",
    max_tokens: 50,
    system: "Kind.",
    messages: hi,
  });
  expect(whole).toMatchObject({
    role: "assistant",
    stop_reason: "end_turn",
    content: [{ type: "text", text: "Hello there" }],
  });
  expect(provider.requests.at(-1)?.body).toMatchObject({ model: "local-1" });
  const stream = anthropic.messages.stream({ model: "helper", max_tokens: 50, messages: hi });
  expect(await stream.finalText()).toBe("Streamed answer");
  expect((await stream.finalMessage()).usage.output_tokens).toBeGreaterThan(0);
});

/** What a client's stream tells, one line for each thing: pieces of one text or of one call's arguments are one. */
async function told<E>(stream: AsyncIterable<E>, lines: (event: E) => readonly [string, string?][]) {
  const all: [string, string][] = [];
  for await (const event of stream)
    for (const [what, piece = ""] of lines(event)) {
      const last = all.at(-1);
      if (last?.[0] === what && piece !== "") last[1] += piece;
      else all.push([what, piece]);
    }
  return all.map(([what, text]) => `${what} ${text.replaceAll(/"\s*:\s*/g, '":')}`.trim());
}

const ofChunk = ({ choices: [choice], usage }: OpenAI.ChatCompletionChunk): [string, string?][] => [
  ...(choice?.delta.role ? [[`role ${choice.delta.role}`] as [string]] : []),
  ...(choice?.delta.content ? [["text", choice.delta.content] as [string, string]] : []),
  ...(choice?.delta.tool_calls ?? []).flatMap(({ index, id, function: called }): [string, string?][] => [
    ...(id === undefined ? [] : [[`call ${index} ${id} ${called?.name}`] as [string]]),
    ...(called?.arguments ? [[`arguments ${index}`, called.arguments] as [string, string]] : []),
  ]),
  ...(choice?.finish_reason ? [[`finish ${choice.finish_reason}`] as [string]] : []),
  ...(usage
    ? [[`usage ${usage.prompt_tokens} ${usage.completion_tokens} ${usage.total_tokens}`] as [string]]
    : []),
];

const ofMessage = (event: Anthropic.RawMessageStreamEvent): [string, string?][] => {
  switch (event.type) {
    case "message_start":
      return [[`start ${event.message.type} ${event.message.role}`]];
    case "content_block_start": {
      const { type } = event.content_block;
      const call =
        event.content_block.type === "tool_use"
          ? ` ${event.content_block.id} ${event.content_block.name}`
          : "";
      return [[`block ${event.index} ${type}${call}`]];
    }
    case "content_block_delta":
      if (event.delta.type === "text_delta") return [[`text ${event.index}`, event.delta.text]];
      return event.delta.type === "input_json_delta" && event.delta.partial_json !== ""
        ? [[`arguments ${event.index}`, event.delta.partial_json]]
        : [];
    case "content_block_stop":
      return [[`stop ${event.index}`]];
    case "message_delta":
      return [[`end ${event.delta.stop_reason} ${event.usage.output_tokens}`]];
    case "message_stop":
      return [[event.type]];
    default:
      return [[`unknown ${JSON.stringify(event satisfies never)}`]];
  }
};

test("the vendors' clients hear the same from Elwood as from a server of the vendor's, event by event", async () => {
  const { name, description, schema } = weather;
  const call = { id: "call_1", name, input: { city: "Rome" } };
  const vendor = new OpenAI({ baseURL: provider.baseUrl, apiKey: "sk-loopback", maxRetries: 0 });
  const tools = [{ type: "function" as const, function: { name, description, parameters: schema } }];
  for (const answer of [
    chat.reply("Streamed answer"),
    chat.reply("Cut", { finish: "length" }),
    chat.tools([call, { ...call, id: "call_2" }], { text: "Looking." }),
  ]) {
    const ask = (client: OpenAI, model: string) =>
      client.chat.completions.create({
        model,
        messages: hi,
        tools,
        stream: true,
        stream_options: { include_usage: true },
      });
    provider.willChat(answer, answer);
    const there = await told(await ask(vendor, "local-1"), ofChunk);
    expect(await told(await ask(openai, "helper"), ofChunk)).toEqual(there);
    expect(there.at(-1)).toMatch(/^usage /);
  }
  const claudeThere = new Anthropic({ baseURL: claude.url, apiKey: "sk-loopback", maxRetries: 0 });
  const ask = (client: Anthropic, model: string) =>
    client.messages.create({
      model,
      max_tokens: 50,
      messages: hi,
      tools: [{ name, description, input_schema: { type: "object" } }],
      stream: true,
    });
  for (const answer of [
    anthropicWire.reply("Streamed answer"),
    anthropicWire.tools([{ ...call, id: "toolu_1" }], { text: "Looking." }),
  ]) {
    claude.will(answer, answer);
    const there = await told(await ask(claudeThere, "claude-1"), ofMessage);
    expect(await told(await ask(anthropic, "reader"), ofMessage)).toEqual(there);
    expect(there.at(-1)).toBe("message_stop");
  }
});

test("the vendors' clients throw the same errors at Elwood's refusals as at the vendor's own", async () => {
  const thrown = async (work: Promise<unknown>) => {
    const error = (await work.then(
      () => undefined,
      (cause: unknown) => cause,
    )) as { constructor: { name: string }; status: number; error: object };
    return {
      kind: error.constructor.name,
      status: error.status,
      fields: Object.keys(error.error).toSorted(),
    };
  };
  const vendor = new OpenAI({ baseURL: provider.baseUrl, apiKey: "sk-loopback", maxRetries: 0 });
  const wrong = new OpenAI({ baseURL: `${started.gateway.url}/v1`, apiKey: "x".repeat(40), maxRetries: 0 });
  const ask = (client: OpenAI, model: string, more: object = {}) =>
    thrown(client.chat.completions.create({ model, messages: hi, ...more }));
  provider.willChat(openaiError(404), openaiError(401), openaiError(400));
  expect(await ask(openai, "nobody")).toEqual(await ask(vendor, "nobody"));
  expect(await ask(wrong, "helper")).toEqual(await ask(vendor, "helper"));
  expect(await ask(openai, "helper", { n: 2 })).toEqual(await ask(vendor, "helper", { n: 2 }));
  const claudeThere = new Anthropic({ baseURL: claude.url, apiKey: "sk-loopback", maxRetries: 0 });
  const say = (client: Anthropic, model: string) =>
    thrown(client.messages.create({ model, max_tokens: 5, messages: hi }));
  claude.will(anthropicWire.error(404));
  expect(await say(anthropic, "nobody")).toEqual(await say(claudeThere, "nobody"));
});

test("failures have the vendors' own shapes, before and within a stream", async () => {
  await expect(openai.chat.completions.create({ model: "nobody", messages: hi })).rejects.toBeInstanceOf(
    NotFoundError,
  );
  await expect(
    new OpenAI({ baseURL: `${started.gateway.url}/v1`, apiKey: "x".repeat(40), maxRetries: 0 }).models.list(),
  ).rejects.toBeInstanceOf(AuthenticationError);
  await expect(openai.chat.completions.create({ model: "helper", messages: hi, n: 2 })).rejects.toThrow(
    /one answer/,
  );
  await expect(
    anthropic.messages.create({ model: "nobody", max_tokens: 5, messages: hi }),
  ).rejects.toBeInstanceOf(NoSuchModel);
  provider.willChat(openaiError(401, { message: "no" }), openaiError(401, { message: "no" }));
  const broken = await openai.chat.completions.create({ model: "helper", messages: hi, stream: true });
  await expect(
    (async () => {
      for await (const _chunk of broken);
    })(),
  ).rejects.toThrow(/key|refused|accept/i);
  await expect(
    anthropic.messages.create({ model: "helper", max_tokens: 5, messages: hi }),
  ).rejects.toBeInstanceOf(InternalServerError);
});

test("an agent answers as a model, what is asked of it is a program's word, and tools are refused", async () => {
  const ids = (await openai.models.list()).data.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(["elwood", "elwood/assistant", "helper", "llm.chat"]));
  const answer = await openai.chat.completions.create({ model: "elwood", messages: hi, user: "florist" });
  expect(answer.choices[0]?.message.content).not.toBe("");
  const { sessions } = await owner.call("sessions.list", {});
  const { messages } = await owner.call("chat.history", { sessionKey: sessions[0]!.sessionKey });
  expect(messages[0]).toMatchObject({ role: "user", origin: "program" });
  const tools = [{ type: "function" as const, function: { name: "x" } }];
  await expect(
    openai.chat.completions.create({ model: "elwood", messages: hi, tools }),
  ).rejects.toBeInstanceOf(BadRequestError);
});

test("the owner's own token over HTTP is a program's, too: its words authorise nothing", async () => {
  const { url, ownerToken } = started.gateway;
  const headers = {
    authorization: `Bearer ${ownerToken}`,
    "content-type": "application/json",
    "idempotency-key": "r1",
  };
  const begin = () => fetch(`${url}/api/v1/runs`, { method: "POST", headers, body: '{"message":"hello"}' });
  const first = await begin();
  expect(first.status).toBe(202);
  const run = (await first.json()) as { runId: string; sessionKey: string };
  expect(await (await begin()).json()).toMatchObject({
    runId: run.runId,
    sessionKey: run.sessionKey,
    repeated: true,
  });
  const { messages } = await owner.call("chat.history", { sessionKey: run.sessionKey });
  expect(messages[0]).toMatchObject({ origin: "program" });
});

test("a run is watched over HTTP, and who comes back with the last number gets exactly what came since", async () => {
  const { url, ownerToken } = started.gateway;
  const door = gate();
  provider.willChat(
    chat.stream([...chat.chunks({ text: "One two three four." }, true)].toSpliced(3, 0, { wait: door })),
  );
  const headers = { authorization: `Bearer ${ownerToken}`, "content-type": "application/json" };
  const body = JSON.stringify({ message: "Say it.", model: "here/local-1" });
  const begun = await fetch(`${url}/api/v1/runs`, { method: "POST", headers, body });
  const { runId } = (await begun.json()) as { runId: string };
  const watch = (more: Record<string, string> = {}, query = "") =>
    fetch(`${url}/api/v1/runs/${runId}/events${query}`, { headers: { ...headers, ...more } });
  const toldIn = (text: string) =>
    text.split("\n\n").flatMap((each) => {
      const [, id, name] = /^id: (\d+)\nevent: (\S+)\n/.exec(each) ?? [];
      return id === undefined ? [] : [{ id, name, each }];
    });
  const watching = await watch();
  door.open();
  const [stood, ...rest] = toldIn(await watching.text());
  expect(stood).toMatchObject({ name: "snapshot" });
  expect(rest.at(-1)).toMatchObject({ name: "chat.final" });
  // From its very beginning, though nobody watched it then.
  const all = toldIn(await (await watch({}, "?after=0")).text());
  expect(all[0]).toMatchObject({ name: "run.started" });
  expect(rest).toEqual(all.slice(all.length - rest.length));
  for (const [i, { id }] of all.entries())
    expect(toldIn(await (await watch({ "last-event-id": id })).text())).toEqual(all.slice(i + 1));
  expect(toldIn(await (await watch({ "last-event-id": "999999" })).text())).toMatchObject([
    { name: "snapshot" },
  ]);
});

test("nothing answers at these addresses until it is opened", async () => {
  await using closed = await startTestGateway();
  const { url, ownerToken } = closed.gateway;
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: ownerToken, maxRetries: 0 });
  await expect(client.models.list()).rejects.toThrow(/api\.openai/);
  const other = new Anthropic({ baseURL: url, apiKey: ownerToken, maxRetries: 0 });
  await expect(other.messages.create({ model: "elwood", max_tokens: 5, messages: hi })).rejects.toThrow(
    /api\.anthropic/,
  );
});
