import { startScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { startWebSite } from "@elwood/testkit/web-server";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openScene, type Scene } from "../../test/methods/test-scene.ts";
import { commandCage } from "../built-in-tools.ts";

/** As the document that Elwood follows has it. */
const PERMISSIONS = `permissions:
  safe_commands: ["ls", "cat", "head", "tail", "date", "whoami", "echo", "git"]
  dangerous_patterns: ["\\\\brm\\\\b", "\\\\bsudo\\\\b", "\\\\bchmod\\\\b", "curl.*\\\\|.*sh"]
  tool_policy:
    run_command: "ask"
    read_file: "allow"
    write_file: "allow"
    web_search: "allow"
    web_fetch: "allow"
    save_memory: "allow"
    search_memory: "allow"
`;

async function open(config: string): Promise<Scene> {
  const model = await startScriptedAnthropic();
  onTestFinished(() => model[Symbol.asyncDispose]());
  return openScene(model, { config });
}

const CAGE = await commandCage();

const explained = async (scene: Scene, toolId: string, input: unknown, sessionKey?: string) =>
  scene.call("policy.explain", { toolId, input, ...(sessionKey === undefined ? {} : { sessionKey }) });

test.runIf(CAGE.ok)("EL-14: safe commands run though the tool's policy says ask; others ask", async () => {
  await using scene = await open(PERMISSIONS);
  writeFileSync(join(scene.files, "notes.txt"), "hello");
  for (const argv of [["ls"], ["cat", "notes.txt"], ["echo", "hi"], ["date"], ["whoami"]]) {
    const run = await scene.run({ calls: [["shell.command.run", { argv }]] });
    expect(run.asks, argv.join(" ")).toEqual([]);
  }
  for (const argv of [
    ["touch", "x"],
    ["rm", "notes.txt"],
    ["npm", "test"],
    ["ls", "../.."],
  ]) {
    expect((await explained(scene, "shell.command.run", { argv })).decision, argv.join(" ")).not.toBe(
      "allow",
    );
  }
});

test.runIf(CAGE.ok)(
  "EL-14: a rule of policy.rules that asks, asks; so does the policy of a tool without safe commands",
  async () => {
    for (const config of [
      `${PERMISSIONS}policy:\n  rules:\n    - { tool: shell.command.run, decision: ask }\n`,
      "permissions:\n  tool_policy: { run_command: ask }\n",
    ]) {
      await using scene = await open(config);
      expect(await explained(scene, "shell.command.run", { argv: ["ls"] })).toMatchObject({
        decision: "ask",
        rule: "owner.ask",
      });
    }
  },
);

test("EL-14: web_fetch: allow fetches what carries nothing private, and asks for the rest", async () => {
  const site = await startWebSite();
  onTestFinished(() => site.close());
  const web = `web:\n  allowedOrigins: ['${site.origin}']\n`;
  await using scene = await open(`${PERMISSIONS}${web}`);
  const fetched = await scene.run({
    says: "What is new?",
    calls: [["web.page.fetch", { url: `${site.origin}/json` }]],
  });
  expect(fetched.asks).toEqual([]);
  const { sessionKey } = fetched;
  const verdict = async (url: string) =>
    (await explained(scene, "web.page.fetch", { url }, sessionKey)).decision;
  expect(await verdict("https://example.org/news/latest")).toBe("allow");
  expect(await verdict("https://example.org/?pin=471199")).toBe("ask");
  // Once something of the owner's was read, its words do not leave in an address.
  writeFileSync(join(scene.files, "diary.txt"), "allergic to penicillin");
  await scene.run({ sessionKey, calls: [["files.file.read", { path: "diary.txt" }]] });
  expect(await verdict("https://example.org/penicillin")).toBe("ask");
  expect(await verdict("https://penicillin.example.org/")).toBe("ask");
  expect(await verdict("https://example.org/news")).toBe("allow");
  const leak = await scene.run({
    sessionKey,
    calls: [["web.page.fetch", { url: `${site.origin}/json?note=penicillin` }]],
  });
  expect(leak.asks).toHaveLength(1);

  await using other = await open(
    `${web}policy:\n  rules:\n    - { tool: web.page.fetch, decision: allow }\n`,
  );
  const asked = await other.run({
    says: "What is new?",
    calls: [["web.page.fetch", { url: `${site.origin}/json` }]],
  });
  expect(asked.asks).toHaveLength(1);
});

test("EL-14: web_search: allow searches for what carries nothing private, and asks for the rest", async () => {
  const found = { results: [{ title: "Roses", url: "https://roses.example/", content: "Prune in March." }] };
  const site = await startWebSite({
    pages: { "/search": (_req, res) => void res.writeHead(200).end(JSON.stringify(found)) },
  });
  onTestFinished(() => site.close());
  const web = `web:\n  search: { searxngUrl: '${site.origin}' }\n`;
  await using scene = await open(`${PERMISSIONS}${web}`);
  const search = (query: string) => [["web.search.query", { query }]] as const;
  const first = await scene.run({ says: "My roses look sad", calls: search("how to prune roses") });
  expect(first.asks).toEqual([]);
  expect(site.visits).toHaveLength(1);
  const { sessionKey } = first;
  writeFileSync(join(scene.files, "diary.txt"), "allergic to penicillin");
  await scene.run({ sessionKey, calls: [["files.file.read", { path: "diary.txt" }]] });
  const leak = await scene.run({ sessionKey, calls: search("penicillin"), decide: () => "deny" });
  expect(leak.asks).toHaveLength(1);
  expect(site.visits).toHaveLength(1);
  const again = await scene.run({ sessionKey, calls: search("sad roses") });
  expect(again.asks).toEqual([]);

  await using other = await open(
    `${web}policy:\n  rules:\n    - { tool: web.search.query, decision: allow }\n`,
  );
  const asked = await other.run({ says: "My roses look sad", calls: search("how to prune roses") });
  expect(asked.asks).toHaveLength(1);
});

test("EL-14: a rule that asks offers always, and does not ask again for what got it", async () => {
  const config = "policy:\n  rules:\n    - { tool: files.file.write, decision: ask }\n";
  await using scene = await open(config);
  const write = [["files.file.write", { path: "a.txt", content: "1" }]] as const;
  const first = await scene.run({ calls: write, decide: () => ({ decision: "always" }) as never });
  expect(first.asks[0]).toMatchObject({ rule: "owner.ask", decisions: ["once", "window", "always"] });
  const second = await scene.run({ calls: [["files.file.write", { path: "a.txt", content: "2" }]] });
  expect(second.asks).toEqual([]);
  const other = await scene.run({ calls: [["files.file.write", { path: "b.txt", content: "2" }]] });
  expect(other.asks).toHaveLength(1);
});
