import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isPush, GatewayClient } from "@elwood/sdk/client";
import { chat, type ChatCall } from "@elwood/testkit/chat-wire";
import type { Answer } from "@elwood/testkit/loopback-server";
import { startOpenai, type OpenaiServer } from "@elwood/testkit/openai-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestGateway, type StartedGateway } from "../test-gateway.ts";

/**
 * A small model behind a server of the owner's, as such models answer. Each task ends with what the owner asked for,
 * in spite of these slips:
 *
 *  1 numbers as text                     6 the call as JSON in the text, with prose around it
 *  2 truth values as text                7 the call between tags in the text
 *  3 a comma too many                    8 the same call twice in one answer
 *  4 brackets that are never closed      9 an empty answer
 *  5 another separator or prefix        10 arguments that are packed as text once more
 */
let server: OpenaiServer;
let started: StartedGateway;
let client: GatewayClient;
beforeAll(async () => {
  server = await startOpenai();
  started = await startTestGateway({
    config: `providers:\n  tiny:\n    baseUrl: ${server.baseUrl}\n    api: chat\n`,
    env: { ELWOOD_MODEL: "tiny/qwen3:4b" },
  });
  const { url, ownerToken: token } = started.gateway;
  client = await GatewayClient.connect({ url, token, client: { name: "test" } });
  for (let i = 1; i <= 3; i++)
    writeFileSync(file(`n${i}.txt`), `line one of ${i}\nline two of ${i}\nthe needle\n`);
});
afterAll(async () => {
  await client.close();
  await started[Symbol.asyncDispose]();
  await server.close();
});

const file = (name: string) => join(started.home, "files", name);
const raw = (name: string, json: string): ChatCall => ({ name, json });
const calls = (...made: ChatCall[]): Answer => chat.tools(made);

interface Done {
  readonly text: string;
  /** What the model was told of its calls. */
  readonly results: string;
}

/** Says something, allows what asks, and waits for the end. */
async function ask(says: string, ...answers: Answer[]): Promise<Done> {
  server.willChat(...answers);
  const { sessionKey } = await client.call("sessions.create", {});
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const deaf = client.onPush((push) => {
    if (isPush(push, "exec.approval_request") && push.data.sessionKey === sessionKey)
      void client.call("exec.approve", { approvalId: push.data.approvalId });
    if (isPush(push, "chat.final") && push.data.sessionKey === sessionKey) resolve(push.data.text);
    if (isPush(push, "chat.error") && push.data.sessionKey === sessionKey)
      reject(new Error(JSON.stringify(push.data)));
  });
  await client.call("chat.send", { sessionKey, message: says });
  const text = await promise.finally(deaf);
  server.assertDone();
  const { messages } = server.requests.at(-1)!.body as { messages: { role: string; content: string }[] };
  const results = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
  return { text, results: results.join("\n") };
}

describe("a small model finishes its task although", () => {
  test("1 a number is text", async () => {
    const { results } = await ask(
      "read the second line of n1.txt",
      calls(raw("files__file__read", '{"path":"n1.txt","offset":"2","limit":"1"}')),
      chat.reply("It says: line two of 1 [c1]."),
    );
    expect(results).toContain("line two of 1");
    expect(results).not.toContain("line one");
  });

  test("2 a truth value is text", async () => {
    writeFileSync(file(".hidden.txt"), "x");
    const { results } = await ask(
      "list all files",
      calls(raw("files__file__list", '{"path":".","hidden":"true"}')),
      chat.reply("There are some."),
    );
    expect(results).toContain(".hidden.txt");
  });

  test("3 there is a comma too many", async () => {
    await ask(
      "write hello to a.txt",
      calls(raw("files__file__write", '{"path":"a.txt","content":"hello",}')),
      chat.reply("Saved [c1]."),
    );
    expect(readFileSync(file("a.txt"), "utf8")).toBe("hello");
  });

  test("4 a bracket is never closed", async () => {
    await ask(
      "write hello to b.txt",
      calls(raw("files__file__write", '{"path":"b.txt","content":"hello"')),
      chat.reply("Saved [c1]."),
    );
    expect(readFileSync(file("b.txt"), "utf8")).toBe("hello");
  });

  test("4 two are never closed, behind a comma", async () => {
    const { results } = await ask(
      "look for the needle in n2.txt",
      calls(raw("files__file__search", '{"query":"needle","glob":"n2.txt",')),
      chat.reply("Found [c1]."),
    );
    expect(results).toContain("n2.txt:3");
  });

  test.each([
    "files.file.read",
    "files-file-read",
    "files_file_read",
    "functions.files__file__read",
    "files/file/read",
  ])("5 the tool is called %s", async (name) => {
    const { results } = await ask(
      "read n3.txt",
      calls(raw(name, '{"path":"n3.txt"}')),
      chat.reply("Read [c1]."),
    );
    expect(results).toContain("line one of 3");
  });

  test("6 the call stands in a fence, with prose before it", async () => {
    const { results, text } = await ask(
      "read n1.txt",
      chat.reply(
        'Sure! I will read it:\n```json\n{"name": "files__file__read", "arguments": {"path": "n1.txt"}}\n```',
      ),
      chat.reply("It has three lines [c1]."),
    );
    expect(results).toContain("line one of 1");
    expect(text).toContain("three lines");
  });

  test("6 the call stands bare at the end, without its last bracket", async () => {
    await ask(
      "write hello to c.txt",
      chat.reply('Okay.\n{"name": "files.file.write", "parameters": {"path": "c.txt", "content": "hello"}'),
      chat.reply("Saved [c1]."),
    );
    expect(readFileSync(file("c.txt"), "utf8")).toBe("hello");
  });

  test("7 the call stands between tags", async () => {
    const { results } = await ask(
      "read n2.txt",
      chat.reply(
        '<think>hm</think><tool_call>{"name": "files__file__read", "arguments": {"path": "n2.txt"}}</tool_call>',
      ),
      chat.reply("Read [c1]."),
    );
    expect(results).toContain("line one of 2");
  });

  test("8 the same call comes twice in one answer", async () => {
    const reminder = '{"message":"water the plants","at":"2099-01-01T09:00"}';
    await ask(
      "remind me to water the plants on 2099-01-01 at 9:00",
      calls(raw("schedule__job__create", reminder), raw("schedule__job__create", reminder)),
      chat.reply("Set [c1]."),
    );
    const { jobs } = await client.call("jobs.list", {});
    expect(jobs.filter(({ message }) => message === "water the plants")).toHaveLength(1);
  });

  test("9 an answer is empty", async () => {
    const { text } = await ask("say hi", chat.reply(""), chat.reply("Hi."));
    expect(text).toContain("Hi.");
  });

  test("9 an answer after a call is empty", async () => {
    const { text } = await ask(
      "read n1.txt",
      calls(raw("files__file__read", '{"path":"n1.txt"}')),
      chat.reply(""),
      chat.reply("Read [c1]."),
    );
    expect(text).toContain("Read");
  });

  test("10 the arguments are packed as text once more", async () => {
    const { results } = await ask(
      "read n1.txt",
      calls(raw("files__file__read", JSON.stringify('{"path":"n1.txt"}'))),
      chat.reply("Read [c1]."),
    );
    expect(results).toContain("line one of 1");
  });

  test("it gets a name wrong first, and reads what it is told", async () => {
    const { results } = await ask(
      "read n1.txt",
      calls(raw("files__file__read", '{"file":"n1.txt"}')),
      calls(raw("files__file__read", '{"path":"n1.text"}')),
      calls(raw("files__file__read", '{"path":"n1.txt"}')),
      chat.reply("Read."),
    );
    expect(results).toContain("There is n1.txt");
    expect(results).toContain("line one of 1");
  });
});

test("what was cut off at the limit of its length is not completed", async () => {
  await ask(
    "write hello to cut.txt",
    chat.tools([raw("files__file__write", '{"path":"cut.txt","content":"hello"')], { finish: "length" }),
    chat.reply("That was cut off; nothing was written."),
  );
  expect(existsSync(file("cut.txt"))).toBe(false);
});

test("it gets a short prompt, few tools, and is asked for one call at a time", async () => {
  await ask("say hi", chat.reply("Hi."));
  const body = server.requests.at(-1)!.body as {
    messages: { content: string }[];
    tools: { function: { name: string } }[];
    parallel_tool_calls?: boolean;
    prompt_cache_key?: string;
  };
  expect(body.tools.length).toBeLessThanOrEqual(11);
  expect(body.tools.map((tool) => tool.function.name)).toContain("files__file__read");
  expect(body.messages[0]!.content).toContain("call one tool, wait for its result");
  expect(body.parallel_tool_calls).toBe(false);
  expect(body.prompt_cache_key).toBeUndefined();
  expect(JSON.stringify(body).length / 4).toBeLessThan(2_000);
});
