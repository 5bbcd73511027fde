import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { json } from "@elwood/testkit/answers";
import { chat, type ChatCall } from "@elwood/testkit/chat-wire";
import { startGatewayProcess, temporaryHome } from "@elwood/testkit/gateway-process";
import { CHAT_ROUTE, openaiError, startOpenai } from "@elwood/testkit/openai-server";
import { afterEach, expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { ask, openSession } from "./conversation.ts";

const TEST_MS_MAX = 60_000;

interface Asked {
  readonly max_tokens?: number;
  readonly messages: readonly { readonly role: string; readonly content: string | null }[];
}

/** What the model does next, by what it is shown; words end the run. */
type Step = (results: readonly string[], asked: Asked) => readonly ChatCall[] | string;

const open: { stop(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.stop();
});

/**
 * A gateway whose model is behind a server that tells its window as vLLM does, counts what it
 * is sent, and refuses what does not fit with the answer that is asked for.
 */
async function scene(window: number, files: Readonly<Record<string, string>>, step: Step) {
  const home = temporaryHome();
  open.push({ stop: () => home.remove() });
  mkdirSync(join(home.path, "files"), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home.path, "files", name), text);
  const server = await startOpenai();
  open.push({ stop: () => server.close() });
  server.always("GET /v1/models", json(200, { data: [{ id: "small", max_model_len: window }] }));
  const refused: string[] = [];
  const asked: Asked[] = [];
  server.always(CHAT_ROUTE, (exchange) => {
    const body = exchange.request.body as Asked;
    asked.push(body);
    const prompt = Math.ceil(exchange.request.text.length / 4);
    if (prompt + (body.max_tokens ?? 0) > window) {
      refused.push(`${prompt} + ${body.max_tokens}`);
      const message = `This model's maximum context length is ${window} tokens. However, you requested more.`;
      return openaiError(400, { message })(exchange);
    }
    const results = body.messages.flatMap(({ role, content }) => (role === "tool" ? [content ?? ""] : []));
    const next = step(results, body);
    const usage = { prompt, completion: 20 };
    return (typeof next === "string" ? chat.reply(next, { usage }) : chat.tools(next, { usage }))(exchange);
  });
  const gateway = await startGatewayProcess({
    home: home.path,
    env: { MINE_API_KEY: "sk-loopback", ELWOOD_MODEL: "mine/small" },
    config: `providers:\n  mine:\n    baseUrl: ${server.baseUrl}\n`,
  });
  open.push({ stop: () => gateway.kill() });
  const wire = await Wire.authenticated(gateway.url, gateway.token);
  open.push({ stop: () => wire.close() });
  return { wire, sessionKey: await openSession(wire), refused, asked };
}

const read = (path: string): ChatCall => ({ name: "files__file__read", input: { path } });

function lines(word: string, bytes: number): string {
  let text = "";
  for (let i = 1; text.length < bytes; i++)
    text += `2026-11-15T10:00:${i % 60} ${word} line ${i}: ${"request served in good time ".repeat(2)}\n`;
  return text;
}

test(
  "a log of 440 KB is read at a window of 16k: in part, with the rest a call away",
  async () => {
    const text = `${lines("app", 440_000)}the very last line\n`;
    const { wire, sessionKey, refused, asked } = await scene(16_384, { "app.log": text }, (results) => {
      if (results.length === 0) return [read("app.log")];
      const handle = /call "([^"]+)", offset (\d+)/.exec(results[0]!);
      if (results.length === 1)
        return [{ name: "session__result__read", input: { call: handle![1], offset: Number(handle![2]) } }];
      return `It may be ${/app line \d+/.exec(results[1]!)?.[0]}`;
    });
    const end = await ask(wire, sessionKey, "What is in app.log?");
    const first = asked[1]!.messages.at(-1)!.content!;
    const seen = [...first.matchAll(/app line (\d+)/g)].at(-1)![1];
    expect(end.data).toMatchObject({ text: expect.stringContaining(`app line ${Number(seen) + 1}`) });
    expect(first).toContain("app line 1:");
    // One note, and one way to go on, though the file and its output were both cut.
    expect(first.match(/offset \d+/g)).toHaveLength(1);
    expect(first).not.toContain("is cut here.]");
    expect(refused).toEqual([]);
  },
  TEST_MS_MAX,
);

test(
  "two files of 60 KB are read at a window of 32k, one after the other and side by side, and the next question is answered",
  async () => {
    const files = { "a.txt": lines("alpha", 60_000), "b.txt": lines("beta", 60_000) };
    const { wire, sessionKey, refused, asked } = await scene(32_768, files, (results, { messages }) => {
      const question = messages.findLast(({ role }) => role === "user")!.content!;
      if (question.includes("thanks")) return "You are welcome.";
      if (question.includes("again"))
        return results.length === 2 ? [read("a.txt"), read("b.txt")] : "Both again.";
      const next = (["a.txt", "b.txt"] as const)[results.length];
      return next ? [read(next)] : "Both are there.";
    });
    expect((await ask(wire, sessionKey, "Compare a.txt and b.txt.")).data).toMatchObject({
      text: expect.stringContaining("Both are there."),
    });
    const both = asked
      .at(-1)!
      .messages.map(({ content }) => content)
      .join("\n");
    expect(both).toContain("alpha line 1:");
    expect(both).toContain("beta line 1:");
    expect((await ask(wire, sessionKey, "Read both again.")).data).toMatchObject({
      text: expect.stringContaining("Both again."),
    });
    const again = asked
      .at(-1)!
      .messages.map(({ content }) => content)
      .join("\n");
    expect(
      again.match(/are left out here to save room\. Read it again with session\.result\.read/g),
    ).toHaveLength(2);
    expect((await ask(wire, sessionKey, "thanks")).data).toMatchObject({
      text: expect.stringContaining("You are welcome."),
    });
    expect(refused).toEqual([]);
  },
  TEST_MS_MAX,
);

test(
  "two files of 60 KB are read to their ends at a window of 32k in few laps, and what is in the middle of each is found",
  async () => {
    const secret = (word: string, code: number) => {
      const all = lines(word, 60_000).split("\n");
      return all.toSpliced(Math.floor(all.length * 0.6), 0, `the ${word} code is ${code}`).join("\n");
    };
    const files = { "a.txt": secret("alpha", 4711), "b.txt": secret("beta", 815) };
    const found = new Map<string, string>();
    let laps = 0;
    /** Reads each file on until its code is seen, as a careful model would. */
    const { wire, sessionKey, refused } = await scene(32_768, files, (results) => {
      laps += 1;
      for (const text of results)
        for (const [, word, code] of text.matchAll(/the (alpha|beta) code is (\d+)/g))
          found.set(word!, code!);
      const last = results.at(-1);
      for (const [word, path] of [
        ["alpha", "a.txt"],
        ["beta", "b.txt"],
      ] as const) {
        if (found.has(word)) continue;
        if (last === undefined || !last.includes(`${word} line`)) return [read(path)];
        const handle = /call "([^"]+)", offset (\d+)/.exec(
          results.findLast((text) => text.includes(`${word} line 1:`)) ?? "",
        );
        const next = /Go on with offset (\d+)/.exec(last)?.[1] ?? handle?.[2];
        if (handle === null || next === undefined) return `The output of ${path} was taken away.`;
        return [{ name: "session__result__read", input: { call: handle[1], offset: Number(next) } }];
      }
      return `The codes are ${found.get("alpha")} and ${found.get("beta")}.`;
    });
    const end = await ask(wire, sessionKey, "Which codes are in a.txt and b.txt?");
    expect(end.data).toMatchObject({ text: expect.stringContaining("The codes are 4711 and 815.") });
    expect(refused).toEqual([]);
    // Each file: the first part, and at most two pages more.
    expect(laps).toBeLessThanOrEqual(7);
  },
  TEST_MS_MAX,
);
