import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { Log } from "@elwood/runtime/ports/ports";
import { systemPrompt } from "@elwood/runtime/run/prompt";
import { expect, test } from "vitest";
import { testFolder } from "../../test/config/test-folder.ts";
import { TEMPLATES_DIR } from "../config/first-run.ts";
import { folderAgents } from "./folder-agents.ts";

function workspace(defaultAgentId = "assistant") {
  const f = testFolder();
  const warnings: string[] = [];
  const nothing = () => undefined;
  const log: Log = { error: nothing, info: nothing, debug: nothing, warn: (text) => warnings.push(text) };
  const agents = folderAgents({ workspaceDir: join(f.root, "w"), defaultAgentId, log });
  mkdirSync(join(f.root, "w"));
  const refusal = async (id: string) => {
    const cause = await agents.load(id).catch((error: unknown) => error);
    if (!(cause instanceof FailureError)) throw new Error("it loaded");
    return cause.message;
  };
  return { f, agents, warnings, refusal, write: (path: string, text: string) => f.write(`w/${path}`, text) };
}

test("EL-8: the default agent is the workspace itself, and its files are read anew each time", async () => {
  const { agents, write } = workspace();
  write("SOUL.md", "\uFEFFquiet\n");
  write("AGENTS.md", "careful");
  write("TOOLS.md", "few");
  expect(await agents.load("assistant")).toEqual({
    id: "assistant",
    name: "Elwood",
    description: "",
    soul: "quiet",
    instructions: "careful",
    toolNotes: "few",
    skills: [expect.objectContaining({ name: "elwood" })],
  });
  write("SOUL.md", "loud");
  expect((await agents.load("assistant"))?.soul).toBe("loud");
});

test("EL-8: agents in folders have their own texts, name, model and tools", async () => {
  const { agents, write } = workspace();
  write("agents/code-helper/AGENTS.md", "write tests");
  write(
    "agents/code-helper/agent.yaml",
    "name: Code\ndescription: Reads and writes code\nmodel: openai/gpt-5.4\ntools: [files.*, shell.command.run]\n",
  );
  write("agents/plain/SOUL.md", "plain");
  write("agents/nothing/notes.txt", "no agent");
  write("agents/only-settings/agent.yaml", "name: X\n");
  write("agents/Bad Name/SOUL.md", "x");
  write("agents/README.md", "no folder");
  const listed = await agents.list();
  expect(listed.map(({ id, name, model }) => [id, name, model])).toEqual([
    ["assistant", "Elwood", undefined],
    ["code-helper", "Code", "openai/gpt-5.4"],
    ["plain", "Plain", undefined],
  ]);
  expect(await agents.load("code-helper")).toMatchObject({
    description: "Reads and writes code",
    tools: ["files.*", "shell.command.run"],
    instructions: "write tests",
    soul: "",
  });
});

test("an agent that is not there, or whose name leads elsewhere, is not found", async () => {
  const { f, agents } = workspace();
  f.write("outside/SOUL.md", "secret");
  for (const id of ["gone", "../outside", "..", "a/b", "", "nothing\0", "__proto__"]) {
    expect(await agents.load(id), id).toBeUndefined();
  }
});

test("the default agent exists even where the workspace is empty or gone", async () => {
  const { f, agents } = workspace();
  expect(await agents.load("assistant")).toMatchObject({ soul: "", instructions: "", toolNotes: "" });
  rmSync(join(f.root, "w"), { recursive: true });
  expect((await agents.list()).map(({ id }) => id)).toEqual(["assistant"]);
});

test("a default agent by another name is the workspace itself, unless it has a folder", async () => {
  const { agents, write } = workspace("jarvis");
  write("SOUL.md", "root");
  expect((await agents.list()).map(({ id, soul }) => [id, soul])).toEqual([["jarvis", "root"]]);
  write("agents/jarvis/SOUL.md", "own");
  expect((await agents.list()).map(({ id, soul }) => [id, soul])).toEqual([
    ["jarvis", "own"],
    ["assistant", "root"],
  ]);
});

test("a default agent whose folder cannot be looked at is not taken for the workspace, and says what is wrong", async () => {
  const { f, agents, write, refusal, warnings } = workspace("jarvis");
  write("SOUL.md", "root");
  mkdirSync(join(f.root, "w/agents"));
  symlinkSync("jarvis", join(f.root, "w/agents/jarvis"));
  expect(await refusal("jarvis")).toContain(
    "agents/jarvis/SOUL.md is a link that leads back to itself, so it was not read.",
  );
  expect((await agents.load("assistant"))?.soul).toBe("root");
  rmSync(join(f.root, "w/agents"), { recursive: true });
  symlinkSync("agents", join(f.root, "w/agents"));
  expect((await agents.list()).map(({ id }) => id)).toContain("assistant");
  expect(warnings).toEqual([`the agents in ${join(f.root, "w/agents")} cannot be listed: ELOOP`]);
});

test("a broken agent.yaml leaves the agent in the list with what is wrong, and loading it says file and line", async () => {
  const { agents, write, refusal } = workspace();
  write("agents/broken/SOUL.md", "x");
  write("agents/broken/agent.yaml", "name: X\nmodle: openai/gpt-5.4\n");
  const listed = (await agents.list()).find(({ id }) => id === "broken");
  expect(listed?.problem).toBe(
    "Agent broken: agent.yaml:2 `modle` is not a setting that Elwood knows. Did you mean `model`?",
  );
  expect(await refusal("broken")).toBe(`${listed?.problem} No model was asked.`);
  write("agents/broken/agent.yaml", "name: X\n\tmodel: y\n");
  expect(await refusal("broken")).toContain("agent.yaml:2 is indented with a tab");
  write("agents/broken/agent.yaml", "tools: files.*\n");
  expect(await refusal("broken")).toContain(
    'agent.yaml:1 `tools` must be a list of tool ids, or one of "minimal", "standard", "all", found "files.*"',
  );
  write("agents/broken/agent.yaml", "model: llama\n");
  expect(await refusal("broken")).toContain("agent.yaml:1 `model` must be a model as provider/model");
});

test("a file that is too long is cut at a whole character, and that is logged", async () => {
  const { agents, write, warnings } = workspace();
  write("SOUL.md", "ä".repeat(LIMITS.agentFileBytesMax));
  write("AGENTS.md", `x${"ä".repeat(LIMITS.agentFileBytesMax)}`);
  const agent = await agents.load("assistant");
  expect(agent?.soul).toBe("ä".repeat(LIMITS.agentFileBytesMax / 2));
  expect(agent?.instructions).toBe(`x${"ä".repeat(LIMITS.agentFileBytesMax / 2 - 1)}`);
  expect(warnings).toEqual([
    "SOUL.md is longer than 64 KB; only its beginning is used",
    "AGENTS.md is longer than 64 KB; only its beginning is used",
  ]);
});

test("a link that leads out of the workspace is refused, a link inside it is followed", async () => {
  const { f, agents, write, refusal } = workspace();
  const outside = f.write("outside.md", "canary of the machine");
  write("common.md", "from inside");
  mkdirSync(join(f.root, "w/agents/linked"), { recursive: true });
  symlinkSync("../../common.md", join(f.root, "w/agents/linked/SOUL.md"));
  expect((await agents.load("linked"))?.soul).toBe("from inside");
  symlinkSync(outside, join(f.root, "w/agents/linked/AGENTS.md"));
  expect(await refusal("linked")).toBe(
    "agents/linked/AGENTS.md is a link that leads out of the workspace, so it was not read. Put a copy of the file in its place. No model was asked.",
  );
  f.write("elsewhere/SOUL.md", "canary of the machine");
  symlinkSync(join(f.root, "elsewhere"), join(f.root, "w/agents/away"));
  expect(await refusal("away")).toContain("leads out of the workspace");
  expect(JSON.stringify(await agents.list())).not.toContain("canary");
});

test("a workspace that is itself a link works", async () => {
  const { f, write } = workspace();
  write("SOUL.md", "real");
  symlinkSync(join(f.root, "w"), join(f.root, "link"));
  const nothing = () => undefined;
  const log: Log = { error: nothing, info: nothing, debug: nothing, warn: nothing };
  const agents = folderAgents({ workspaceDir: join(f.root, "link"), defaultAgentId: "assistant", log });
  expect((await agents.load("assistant"))?.soul).toBe("real");
});

test("a pipe or a folder in a file's place is refused instead of waited for", async () => {
  const { f, refusal } = workspace();
  execFileSync("mkfifo", [join(f.root, "w/SOUL.md")]);
  expect(await refusal("assistant")).toContain("SOUL.md is not a plain file");
  rmSync(join(f.root, "w/SOUL.md"));
  mkdirSync(join(f.root, "w/SOUL.md"));
  expect(await refusal("assistant")).toContain("SOUL.md is not a plain file");
});

test("an agent says how many tools it is offered, and how long its prompt is", async () => {
  const { agents, write } = workspace();
  write("agents/tiny/SOUL.md", "x");
  write("agents/tiny/agent.yaml", "tools: minimal\nprompt: short\n");
  const agent = await agents.load("tiny");
  expect(agent).toMatchObject({ toolSet: "minimal", prompt: "short" });
  expect(agent?.tools).toBeUndefined();
});

test("the number of agents has a limit", async () => {
  const { agents, write, warnings } = workspace();
  for (let i = 0; i < LIMITS.agentsMax + 5; i++) write(`agents/a${i}/SOUL.md`, "x");
  expect(await agents.list()).toHaveLength(LIMITS.agentsMax);
  expect(warnings).toHaveLength(1);
});

test("EL-8: the base prompt with the templates stays far below 3,000 tokens", async () => {
  const nothing = () => undefined;
  const log: Log = { error: nothing, info: nothing, debug: nothing, warn: nothing };
  const agents = folderAgents({ workspaceDir: TEMPLATES_DIR, defaultAgentId: "assistant", log });
  const agent = await agents.load("assistant");
  // Three characters a token is more than any tokenizer needs for English.
  expect(systemPrompt(agent!).length / 3).toBeLessThan(1_500);
  expect(agent?.soul).not.toBe("");
});
