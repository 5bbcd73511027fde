import { Writable } from "node:stream";
import { Connection } from "@elwood/sdk/client";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testIo, type TestIoOptions } from "../test-io.ts";
import { chat, type ChatOptions } from "./chat-command.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess();
});
afterAll(async () => {
  await gateway.stop();
});

async function join() {
  const endpoint = { url: gateway.url, token: gateway.token };
  const connection = await Connection.open({ ...endpoint, client: { name: "cli", drafts: true } });
  return { connection, endpoint, leave: () => connection.close() };
}

function talk(options: ChatOptions, terminal: TestIoOptions) {
  const io = testIo(terminal);
  return { io, ended: chat(io, options, join) };
}

test("without a terminal each line is a message of one conversation, and only answers go to the pipe", async () => {
  const { io, ended } = talk({}, {});
  io.type("hello\n\nrun echo second line\n");
  io.hangUp();
  expect(await ended).toBe(0);
  expect(io.out()).toMatch(/Ask me what Elwood is[^]*second line/);
  expect(io.out()).not.toContain(">");
  const { connection } = await join();
  const { sessions } = (await connection.call("sessions.list", { limit: 1 })) as {
    sessions: { title: string; messageCount: number }[];
  };
  await connection.close();
  expect(sessions[0]).toMatchObject({ title: "hello", messageCount: expect.any(Number) });
});

test("a dumb terminal is asked line by line, and an empty line leaves", async () => {
  const { io, ended } = talk({ words: "hello" }, { tty: true, env: { TERM: "dumb" } });
  await expect.poll(() => io.err()).toMatch(/one message per line[^]*> $/);
  expect(io.out()).toContain("Ask me what Elwood is");
  io.type("/model\n");
  await expect.poll(() => io.err()).toContain("Here there are /new, /help and /exit.");
  io.type("\n");
  expect(await ended).toBe(0);
  expect(io.out() + io.err()).not.toContain("\u001b[");
});

test.each<[ChatOptions, string]>([
  [{ url: "http://127.0.0.1:1" }, "--url needs a token"],
  [{ url: "nonsense", token: "t" }, "is no address of a gateway"],
  [{ token: "t" }, "--token goes with --url"],
])("where to talk is checked before anything is sent: %o", async (options, problem) => {
  const { io, ended } = talk(options, {});
  await expect(ended.then((code) => code || io.err())).rejects.toThrow(problem);
});

test("a gateway elsewhere is joined by its address and token alone", async () => {
  const { io, ended } = talk({ url: gateway.url, token: gateway.token, words: "hello" }, {});
  io.hangUp();
  expect(await ended).toBe(0);
  expect(io.out()).toContain("Ask me what Elwood is");
  const other = talk({ url: gateway.url, token: "another", words: "hello" }, {});
  await expect(other.ended).rejects.toThrow(/token/i);
});

test("a provider that cannot be asked is said, with those that can", async () => {
  const { io, ended } = talk({ provider: "nobody", words: "hello" }, {});
  expect(await ended).toBe(1);
  expect(io.err()).toContain("No model of “nobody” can be asked.");
});

test("where nobody reads the answers any more nothing more is sent, and what was sent is answered and kept", async () => {
  const broken = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done(broken) });
  const errors: unknown[] = [];
  stdout.on("error", (error) => errors.push(error));
  const io = testIo({});
  io.type("hello to a closed pipe\nrun echo never sent\n");
  io.hangUp();
  expect(await chat({ ...io, stdout }, {}, join)).toBe(0);
  expect(errors).toEqual([broken]);
  expect(io.err()).toContain("Nobody reads the answers any more.");
  const { connection } = await join();
  const { sessions } = await connection.call("sessions.list", { limit: 1 });
  expect(sessions[0]).toMatchObject({ title: "hello to a closed pipe", messageCount: 2 });
  await connection.close();
});
