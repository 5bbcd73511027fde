import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { DIALECT_ROWS } from "@elwood/gateway/config/dialects";
import { activeGroups, configSchema, DEFAULTS } from "@elwood/gateway/config/schema";
import { below, unwrapped, type Schema } from "@elwood/gateway/config/schema-walk";
import { helpPages } from "./test-help.ts";

/** The user's pages, held against the program: they may not name what is not there. */
const root = join(import.meta.dirname, "../../..");
const pages = ["", "docs"].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => ({ name: join(folder, name), text: readFileSync(join(root, folder, name), "utf8") })),
);

/** Code of a page: its fenced blocks and its spans. */
function codeOf(markdown: string): string[] {
  const fences = [...markdown.matchAll(/^( *)```\w*\n([^]*?)^\1```$/gm)].map((match) => match[2]!);
  const spans = [...markdown.replaceAll(/^( *)```[^]*?^\1```$/gm, "").matchAll(/`([^`\n]+)`/g)];
  return [...fences, ...spans.map((match) => match[1]!)];
}

describe("commands", async () => {
  const help = await helpPages();

  /** Undefined where the words begin with a command; of a group that takes no words of its own, two must fit. */
  function strange(words: readonly string[]): string | undefined {
    const [first, second] = words;
    if (first === undefined || first === "help") return undefined;
    const page = help.get(first);
    if (page === undefined) return first;
    const group = page.includes("\nCommands:\n") && !/^Usage: .*\[command\] [<[]/.test(page);
    return group && second !== undefined && !help.has(`${first} ${second}`)
      ? `${first} ${second}`
      : undefined;
  }

  test("every command that a page names exists", () => {
    const named = pages.flatMap(({ name, text }) =>
      codeOf(text).flatMap((code) =>
        [...code.matchAll(/(?<![\w/.-])elwood((?: [a-z][a-z-]*(?![\w.:/=]))+)/g)].map((match) => ({
          name,
          words: match[1]!.trim().split(" "),
        })),
      ),
    );
    expect(named.length).toBeGreaterThan(50);
    const unknown = named.flatMap(
      ({ name, words }) => strange(words)?.replace(/^/, `${name}: elwood `) ?? [],
    );
    expect(unknown).toEqual([]);
  });

  test("docs/command-line.md names every command, and every option of asking", () => {
    const page = pages.find(({ name }) => name === "docs/command-line.md")!.text;
    const leaves = [...help.keys()].filter(
      (path) => path !== "" && !help.get(path)!.includes("\nCommands:\n"),
    );
    expect(leaves.filter((path) => !page.includes(`\`elwood ${path}`))).toEqual([]);
    const options = [...help.get("")!.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map((match) => match[1]!);
    const usual = ["--version", "--help"];
    expect(options.filter((option) => !usual.includes(option) && !page.includes(option))).toEqual([]);
  });
});

describe("docs/configuration.md", () => {
  const page = pages.find(({ name }) => name === "docs/configuration.md")!.text;
  const section = (heading: string) => page.split(`\n## ${heading}\n`)[1]!.split("\n## ")[0]!;
  const rowsOf = (heading: string) =>
    [...section(heading).matchAll(/^\| ([^|]+) \| ([^|]+) \|/gm)].map(
      (match) => [match[1]!.trim(), match[2]!.trim()] as const,
    );
  const spans = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);

  test("has every setting that does something, and none that is not there", () => {
    const written = rowsOf("Settings").flatMap(([cell]) => spans(cell));
    const schema = configSchema();
    const known = Object.keys(activeGroups).flatMap((key) => keysBelow(schema.at(key)!, key));
    expect(written.toSorted()).toEqual(known.toSorted());
  });

  test("tells the defaults as they are", () => {
    const told = new Map(
      rowsOf("Settings").map(([cell, value]) => [spans(cell)[0], value.replaceAll("`", "")]),
    );
    for (const [group, values] of Object.entries({
      limits: DEFAULTS.limits,
      gateway: DEFAULTS.gateway,
      log: DEFAULTS.log,
    }))
      for (const [key, value] of Object.entries(values)) {
        if (!Array.isArray(value)) expect(told.get(`${group}.${key}`), key).toBe(String(value));
      }
    expect(told.get("agents.default")).toBe(DEFAULTS.agents.default);
  });

  test("has every group without effect yet", () => {
    const written = rowsOf("Understood, without effect yet").flatMap(([cell]) => spans(cell));
    const idle = configSchema().keys.filter((key) => !Object.hasOwn(activeGroups, key));
    expect(written.toSorted()).toEqual(idle.toSorted());
  });

  test("has every environment variable and flag that Elwood reads, and no other", () => {
    const names = (dialect: string) =>
      DIALECT_ROWS.filter((row) => row.dialect === dialect).map((row) => row.written);
    const known = names("environment");
    expect(known.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    const written = [...page.matchAll(/`(ELWOOD_[A-Z_]+|PROJ_[A-Z_]+)`/g)].map((match) => match[1]!);
    expect(written.filter((name) => !known.includes(name))).toEqual([]);
    expect(names("flag").filter((flag) => !page.includes(`\`${flag}\``))).toEqual([]);
  });
});

test("JV-10: .env.example has every environment variable that Elwood reads, and no value", () => {
  const text = readFileSync(join(root, ".env.example"), "utf8");
  const named = [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => ({ name, value }));
  const known = DIALECT_ROWS.filter((row) => row.dialect === "environment").map((row) => row.written);
  expect(new Set(named.map(({ name }) => name))).toEqual(new Set(known));
  expect(named.filter(({ value }) => value !== "")).toEqual([]);
});

/** Leaves as a person writes them: `<name>` for one they choose, `[]` for an item of a list. */
function keysBelow(schema: Schema, path: string): string[] {
  if (!(schema instanceof z.ZodType)) return [path];
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodObject) {
    return Object.keys(inner.shape).flatMap((key) => keysBelow(below(inner, key)!, `${path}.${key}`));
  }
  if (inner instanceof z.ZodRecord) return keysBelow(below(inner, "any")!, `${path}.<name>`);
  if (inner instanceof z.ZodArray && unwrapped(below(inner, "0") as z.ZodType) instanceof z.ZodObject) {
    return keysBelow(below(inner, "0")!, `${path}[]`);
  }
  return [path];
}
