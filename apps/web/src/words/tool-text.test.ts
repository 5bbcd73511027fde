import { deedOf } from "@elwood/core/tool/tool-words";
import { expect, test } from "vitest";
import { deeds } from "./de/deeds.ts";
import { say } from "./en/abilities.ts";
import { toolAbout, toolName } from "./tool-text.ts";

test("a tool is called by what it does, and told to its owner, not to a model", () => {
  expect(toolName("files.file.write")).toBe("Write a file");
  expect(toolName("skills.skill.read")).toBe("Read a skill");
  expect(toolName("greet.person.hello")).toBe("Hello greet person");
  expect(toolAbout("files.file.write", "To change a part, use files.file.edit.")).toBe(
    "Creates a file, or replaces all of it.",
  );
  expect(toolAbout("greet.person.hello", "Greets somebody.")).toBe("Greets somebody.");
  for (const [tool, words] of Object.entries(say)) expect(words, tool).not.toMatch(/\b\w+\.\w+\.\w+\b/);
});

test("in German every tool that has words of its own has them too", () => {
  const known = Object.keys(say).filter((tool) => tool.includes(".") && !tool.startsWith("browser."));
  expect(known.filter((tool) => !(tool in deeds))).toEqual([]);
  expect(deedOf("owner.question.choose").done).toBe("Asked you to choose");
});
