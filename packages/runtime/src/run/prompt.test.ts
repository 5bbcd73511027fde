import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkingContext } from "@elwood/core/model/working-context";
import { expect, test } from "vitest";
import type { Agent } from "../ports/ports.ts";
import { systemPrompt } from "./prompt.ts";

const workingContext: WorkingContext = {
  folders: [
    { path: "/state/files", write: true },
    { path: "/papers", write: false },
  ],
  commands: { folder: "/state/files", network: "asks" },
  timeZone: "Europe/Berlin",
};
const agent: Agent = {
  id: "assistant",
  name: "Elwood",
  description: "",
  soul: "",
  instructions: "",
  toolNotes: "",
  workingContext,
};
const lastLine = (tools?: readonly string[]) =>
  systemPrompt(tools === undefined ? agent : { ...agent, tools })
    .split("\n")
    .at(-1);

const FOLDERS =
  "You may read and change files in /state/files, and only read files in /papers. Relative paths start in /state/files; to read or edit the only file of a name, its name will do.";
const COMMANDS = "Commands run there. They have no network unless the call asks for it.";
const ZONE = "The owner's time zone is Europe/Berlin.";

test("the prompt says in one line which folders are open, where paths and commands start, and the time zone", () => {
  expect(lastLine()).toBe(`${FOLDERS} ${COMMANDS} ${ZONE}`);
});

test("an agent is told only of what its tools can use", () => {
  expect(lastLine(["*"])).toBe(`${FOLDERS} ${COMMANDS} ${ZONE}`);
  expect(lastLine(["read_file"])).toBe(`${FOLDERS} ${ZONE}`);
  expect(lastLine(["shell.*"])).toBe(`${COMMANDS.replace("there", "in /state/files")} ${ZONE}`);
  expect(lastLine(["web.*"])).toBe(ZONE);
});

test("the prompt has the model go on from its answer, as the note to it asks, and never write it a second time", () => {
  const prompt = systemPrompt(agent);
  expect(prompt).toContain("go on from your answer as it asks");
  expect(prompt).not.toMatch(/anew|rewrite|write it again/i);
});

test("the instructions that come with Elwood ask for no second report of what failed or was denied", () => {
  const path = join(import.meta.dirname, "../../../../workspace/AGENTS.md");
  const prompt = systemPrompt({ ...agent, instructions: readFileSync(path, "utf8") });
  expect(prompt).toContain("reports itself what did not succeed: write no such report");
  expect(prompt).toContain("Of what failed or was denied, say what follows from it.");
  expect(prompt).not.toMatch(/denied[^.]*, say that/);
});
