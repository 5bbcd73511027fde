import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { FAILURE_REASONS, WIRE_CODES } from "@elwood/core/base/failure";
import { EVENT_NAMES } from "@elwood/core/protocol/events";
import { CLOSE_CODES } from "@elwood/core/protocol/frames";
import { METHOD_NAMES, METHODS, type MethodSpec } from "@elwood/core/protocol/methods";
import { describe, expect, test } from "vitest";
import { codeSpans, headingAnchors, linksOf, tableUnder } from "./markdown.ts";

/** What the pages say of commands and settings is held against the program in apps/cli/src/docs.test.ts. */
const root = join(import.meta.dirname, "..");
const IMAGE_BYTES_MAX = 150 * 1024;
const PAGE_WORDS_MAX = 1_000;
const pages = ["", "docs"].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name)),
);
const read = (page: string) => readFileSync(join(root, page), "utf8");

test("every relative link leads to a file, and every anchor to a heading in it", () => {
  expect(pages).toEqual(expect.arrayContaining(["README.md", "docs/getting-started.md"]));
  const broken = pages.flatMap((page) =>
    linksOf(read(page)).flatMap((link) => {
      if (/^[a-z]+:/.test(link)) return [];
      const [file, anchor] = link.split("#") as [string, string?];
      const target = file === "" ? page : join(dirname(page), file);
      if (!existsSync(join(root, target))) return [`${page}: ${link}`];
      const known = anchor === undefined || headingAnchors(read(target)).includes(anchor);
      return known ? [] : [`${page}: ${link}`];
    }),
  );
  expect(broken).toEqual([]);
});

test("every page in docs is reachable from the README, and its pictures are small", () => {
  const linked = linksOf(read("README.md"));
  expect(pages.filter((page) => page.startsWith("docs/") && !linked.includes(page))).toEqual([]);
  const images = readdirSync(join(root, "docs/images")).map((name) => `docs/images/${name}`);
  const shown = pages.flatMap((page) => linksOf(read(page)).map((link) => join(dirname(page), link)));
  expect(images.filter((image) => !shown.includes(image))).toEqual([]);
  expect(images.filter((image) => statSync(join(root, image)).size > IMAGE_BYTES_MAX)).toEqual([]);
});

test("docs/honesty.md is one page", () => {
  const words = read("docs/honesty.md").match(/[\p{L}\p{N}]+/gu) ?? [];
  expect(words.length).toBeLessThan(PAGE_WORDS_MAX);
});

test("docs/nixos.md has every option of the module, and no other", () => {
  const module = read("modules/assistant.nix");
  const options = module.slice(module.indexOf("options.services.assistant"), module.indexOf("config = mkIf"));
  const known = [...options.matchAll(/^ {4}(\w+)(?:\.enable)? = mk(?:Enable)?Option/gm)].map(
    ([, name]) => name!,
  );
  const named = tableUnder(read("docs/nixos.md"), "NixOS").flatMap(([cell]) => codeSpans(cell!));
  expect(new Set(named)).toEqual(new Set(known));
  expect(named.length).toBeGreaterThan(11);
});

describe("docs/protocol.md", () => {
  const protocol = read("docs/protocol.md");
  test("lists every address of a method, with its scope", () => {
    const listed = tableUnder(protocol, "Looking in from a script").map((cells) =>
      cells.map((cell) => cell.replaceAll("`", "")),
    );
    const routes = Object.entries<MethodSpec>(METHODS).flatMap(([name, { http }]) =>
      http ? [[`${http.verb} ${http.path}`, http.scope, name]] : [],
    );
    expect(new Set(listed.map(String))).toEqual(new Set(routes.map(String)));
  });

  const firstCells = (heading: string) => tableUnder(protocol, heading).map((cells) => cells[0]!);

  test("names every method with its scope, and none that is not there", () => {
    const listed = tableUnder(protocol, "Methods").flatMap(([names, scope]) =>
      codeSpans(names!).map((name) => [name, scope]),
    );
    const known = METHOD_NAMES.map((name) => [name, METHODS[name].scope]);
    expect(new Map(listed as [string, string][])).toEqual(new Map(known as [string, string][]));
  });

  test("names every push, and none that is not there", () => {
    expect(firstCells("Pushes").flatMap(codeSpans).sort()).toEqual([...EVENT_NAMES].sort());
  });

  test("names the codes of errors and closes, and only reasons from the closed list", () => {
    const rows = tableUnder(protocol, "Errors");
    const codes = rows.map(([code]) => Number(code));
    const known: number[] = [...Object.values(WIRE_CODES), ...Object.values(CLOSE_CODES)];
    expect(new Set(codes)).toEqual(new Set(known));
    const reasons = rows.flatMap((cells) => codeSpans(cells[2] ?? ""));
    expect(reasons.filter((reason) => !(FAILURE_REASONS as string[]).includes(reason))).toEqual([]);
  });
});

test("links, spans, anchors and tables are read as they stand", () => {
  const text = [
    "# A & `b` page",
    '[x](a.md#one) and `[no](link)` <img src="i.png" srcset="j.png" />',
    "```sh",
    "[not](this.md)",
    "# not a heading",
    "```",
    "## Two, three",
    "| a | b |",
    "| --- | --- |",
    "| `x.y`, `z` | one |",
    "## Last",
  ].join("\n");
  expect(linksOf(text)).toEqual(["a.md#one", "i.png", "j.png"]);
  expect(headingAnchors(text)).toEqual(["a--b-page", "two-three", "last"]);
  expect(tableUnder(text, "Two, three")).toEqual([["`x.y`, `z`", "one"]]);
  expect(codeSpans("`x.y`, `z`")).toEqual(["x.y", "z"]);
});
