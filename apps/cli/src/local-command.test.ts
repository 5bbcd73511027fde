import { existsSync } from "node:fs";
import { join } from "node:path";
import { LocalEngine } from "@elwood/sdk/local";
import { elwood } from "@elwood/testkit/elwood-command";
import { startGatewayProcess, temporaryHome } from "@elwood/testkit/gateway-process";
import { expect, onTestFinished, test } from "vitest";

test("with --local a question and a chat run in the command's own process, on the same folder, without a port", async () => {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  const asked = await elwood(["--local", "--json", "hello"], { home: home.path });
  expect(asked.code).toBe(0);
  const { sessionKey, demo } = JSON.parse(asked.stdout) as { sessionKey: string; demo: boolean };
  expect(demo).toBe(true);
  const talk = "hello\n";
  const chat = await elwood(["chat", "--local", "-s", sessionKey], { home: home.path, stdin: talk });
  expect(chat.code).toBe(0);
  expect(chat.stdout).toContain("You greeted before in this session");
  expect(existsSync(join(home.path, "gateway.json"))).toBe(false);
  // What a program's engine on that folder reads is the same.
  const engine = new LocalEngine({ home: home.path, env: {} });
  onTestFinished(() => engine.close());
  const said = (await engine.history(sessionKey)).filter(({ sender }) => sender === "user");
  expect(said.map(({ content }) => content)).toEqual(["hello", "hello"]);
});

test("--local says what to do where a gateway has the folder, and where it stands beside --url", async () => {
  await using gateway = await startGatewayProcess();
  const { home } = gateway;
  const asked = await elwood(["--local", "hello"], { home });
  expect(asked.code).toBe(1);
  expect(asked.stderr).toMatch(/already runs on .*Nothing was started\. Join it: leave out --local/);
  const chat = await elwood(["chat", "--local", "--url", gateway.url, "--token", "t"], {
    home,
    stdin: "hi\n",
  });
  expect(chat.stderr).toContain("give one of them");
});
