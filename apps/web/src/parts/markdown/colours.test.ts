import core from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import libraryCss from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import librarySql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { coloured } from "./colours.ts";

const library = core.newInstance();
const GRAMMARS = {
  bash,
  css: libraryCss,
  diff,
  go,
  java,
  javascript,
  json,
  markdown,
  python,
  rust,
  sql: librarySql,
  typescript,
  xml,
  yaml,
};
for (const [name, grammar] of Object.entries(GRAMMARS)) library.registerLanguage(name, grammar);

/** The colours that `markdown.css` has, and what gets them; the rest looks like plain text. */
const COLOURS: Readonly<Record<string, string>> = {
  muted: "comment quote meta",
  accent: "keyword selector-tag section name tag",
  ok: "string addition regexp",
  warn: "number literal symbol type built_in",
  bad: "deletion",
};
const COLOUR_OF = new Map(
  Object.entries(COLOURS).flatMap(([colour, scopes]) => scopes.split(" ").map((scope) => [scope, colour])),
);

/** What is seen: what has a colour, in order. */
function ours(text: string, language: string): string[] {
  return runs((coloured(text, language) ?? []).map(([scope, piece]) => [COLOUR_OF.get(scope), piece]));
}

function theirs(text: string, language: string): string[] {
  const { value } = library.highlight(text, { language, ignoreIllegals: true });
  const open: string[] = [];
  const found: [string | undefined, string][] = [];
  for (const part of value.split(/(<span class="[^"]*">|<\/span>)/)) {
    const begun = /^<span class="(?:hljs-)?([\w-]+)/.exec(part)?.[1];
    if (begun !== undefined) open.push(begun);
    else if (part === "</span>") open.pop();
    else found.push([COLOUR_OF.get(open.findLast((each) => COLOUR_OF.has(each)) ?? ""), plain(part)]);
  }
  return runs(found);
}

/** Neighbours of one colour are one; blanks have none. */
function runs(pieces: readonly (readonly [colour: string | undefined, text: string])[]): string[] {
  const letters = pieces.flatMap(([colour = "", text]) =>
    Array.from(text.replaceAll(/\s/g, ""), (letter) => [colour, letter] as const),
  );
  const found: [string, string][] = [];
  for (const [colour, letter] of letters) {
    const last = found.at(-1);
    if (last?.[0] === colour) last[1] += letter;
    else found.push([colour, letter]);
  }
  return found.flatMap(([colour, text]) => (colour === "" ? [] : [`${colour} ${text}`]));
}

function plain(markup: string): string {
  return markup
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&");
}

describe("code is coloured as by highlight.js", () => {
  test.each([
    [
      "javascript",
      `// Adds up
import { readFile } from "node:fs/promises";
/* a
   block */
export async function total(files) {
  let sum = 0, hex = 0xff, big = 1_000n, half = .5e3;
  for (const file of files) {
    if (file === null || !/^[a-z/]+\\.txt$/i.test(file)) continue;
    sum += parse(await readFile(file, 'utf8'));
  }
  return sum / 2 > 1 ? true : undefined;
}
class Box extends Shape { static make() { return new Box(); } }
`,
    ],
    [
      "python",
      `# Adds up
import os
from pathlib import Path

@cached
def total(files: list[str], *, half: float = 0.5) -> int:
    """Of all
    files."""
    for file in files:
        if file is None or not file.endswith('.txt'):
            raise ValueError("no file")
        with open(file, "rb") as f:
            print(len(f.read()), 0x1f, 1e-3)
    return None if half else True

class Box(Shape):
    pass
`,
    ],
    [
      "json",
      `{ "name": "box", "size": [1, -2.5, 3e4], "open": true, "in": { "none": null, "text": "a \\"b\\" c" } }`,
    ],
    [
      "go",
      `// Adds up
package main

import "fmt"

func total(files []string) (int, error) {
	sum := 0x10 + 1.5
	for i, f := range files {
		if f == nil { return 0, fmt.Errorf("no %s", f) }
		go func() { defer close(c) }()
	}
	return len(files), nil
}
`,
    ],
    [
      "typescript",
      `interface Row<T> { readonly id: string; size?: number }
export type Kind = "a" | "b";
abstract class Table<T extends Row<T>> implements Iterable<T> {
  #rows: readonly T[] = [];
  private constructor(public name: string, protected size: unknown) {}
  get first(): T | undefined { return rows[0] as T; }
}
const sum = (rows: number[]) => rows.length > 1e3 && !/x/.test("y"); // end
declare function size(key: string): void;
`,
    ],
    [
      "bash",
      `#!/bin/bash
# Adds up
set -e
for file in *.txt; do
  if [ -f "$file" ] && test -n 'total'; then
    echo "Found \\"it\\"" >> found.log
  fi
done
total() { local n=0; return; }
export PATH=/usr/bin
cd notes && printf '%s' "$HOME"
`,
    ],
    [
      "java",
      `package a.b;
import java.util.List;
/** A box. */
@Override
public final class Box<T> extends Shape implements Sized {
  private static final int SIZE = 0x1F;
  // one line
  public Names names(double half, char sign) throws Exception {
    if (half > 1.5 && sign == 'x') return null;
    for (int i = 0; i < 10L; i++) names.add("a \\"b\\"");
    return new Box<>(true);
  }
}
`,
    ],
    [
      "rust",
      `// Adds up
use std::fs;
#[derive(Debug)]
pub struct Row { size: u32 }
impl<'a> Row {
    fn total(&self, names: &'a str) -> Result<f64, String> {
        let mut sum = 1_000.5;
        for c in names.chars() { match c { 'x' => sum += 0xff as f64, _ => return no("no".to_string()) } }
        println!("{}", sum);
        if true { sum } else { None }
    }
}
`,
    ],
    [
      "yaml",
      `# A file
name: box
size: 12
half: 0.5
open: true
none: null
quoted: "a: b"
single: 'it is'
list:
  - one
  - 2
nested: { a: 1, b: no }
---
`,
    ],
    [
      "markdown",
      `# Title

Some *words* and **weight**.

> quoted

- [link](https://example.com)
`,
    ],
    [
      "diff",
      `diff --git a/x b/x
index 1..2 100644
--- a/x
+++ b/x
@@ -1,2 +1,2 @@
 same
-old
+new
`,
    ],
    [
      "xml",
      `<!-- a
 page -->
<p class="lead">Some &amp; <b>bold</b><br></p>
<my-box open='yes'></my-box>
`,
    ],
  ])("%s", (language, text) => {
    expect(ours(text, language)).toEqual(theirs(text, language));
  });
});

describe("and some of it better", () => {
  test.each([
    ["js", "return this.size", ["accent returnthis"]],
    ["js", "a / b / c; x = /[/]/g", ["ok /[/]/g"]],
    ["js", "const page = `a ${b}", ["accent const", "ok `a${b}"]],
    ["ts", "let a: keyof Row;", ["accent let", "accent keyof"]],
    ["sh", "npm test # once", ["warn npmtest", "muted #once"]],
    ["rust", 'Ok(r#"a "b" c"#)', ["warn Ok", 'ok r#"a"b"c"#']],
    ["html", "<!doctype html><p>", ["muted <!doctypehtml>", "accent <p>"]],
    ["json", '{ "a": 1 } // why', ["warn 1", "muted //why"]],
  ])("%s: %s", (language, text, expected) => {
    expect(ours(text, language)).toEqual(expected);
  });
});

test("nothing is added and nothing lost, whatever the text and the language", () => {
  const piece = fc.constantFrom(
    ..."\"'`#/*\\<>@:;{}[]()\n -+=.$!|&^~0123".split(""),
    ...'```,""",/*,*/,<!--,-->,</,--,//,if,r#",a: ,url(,e9,ü'.split(","),
  );
  const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(GRAMMARS)), text, (language, code) => {
      expect((coloured(code, language) ?? []).map(([, each]) => each).join("")).toBe(code);
    }),
    { numRuns: 2_000 },
  );
});

test("a language that is not known is left as it is, and one is known by its usual names", () => {
  expect(coloured("a", "cobol")).toBeUndefined();
  expect(coloured("a", "constructor")).toBeUndefined();
  for (const name of ["TS", "py", "rs", "sh", "html", "yml", "md", "golang"])
    expect(coloured("a", name)).toBeDefined();
});
