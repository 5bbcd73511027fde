import { describe, expect, test } from "vitest";
import { notePieces } from "./note-pieces.ts";

describe("a note is taken apart", () => {
  test("by heading, then by bullet and paragraph, with the lines they stand on", () => {
    const note = [
      "# Home",
      "",
      "We live in Lisbon",
      "since 2019.",
      "",
      "## Network",
      "- The router is in the hall",
      "  behind the coats.",
      "- [ ] Buy a new cable",
      "1. First",
      "# Work",
      "* Standup at nine",
    ].join("\n");
    expect(notePieces(note)).toEqual([
      {
        line: 3,
        lineTo: 4,
        kind: "paragraph",
        headings: ["Home"],
        under: [1],
        text: "We live in Lisbon\nsince 2019.",
      },
      {
        line: 7,
        lineTo: 8,
        kind: "bullet",
        headings: ["Home", "Network"],
        under: [1, 6],
        text: "The router is in the hall\nbehind the coats.",
      },
      {
        line: 9,
        lineTo: 9,
        kind: "bullet",
        headings: ["Home", "Network"],
        under: [1, 6],
        text: "Buy a new cable",
      },
      { line: 10, lineTo: 10, kind: "bullet", headings: ["Home", "Network"], under: [1, 6], text: "First" },
      { line: 12, lineTo: 12, kind: "bullet", headings: ["Work"], under: [11], text: "Standup at nine" },
    ]);
  });

  test("with a block of code kept whole, whatever its lines look like", () => {
    const note = "```sh\n# not a heading\n\n- not a bullet\n```\nafter";
    expect(notePieces(note)).toEqual([
      { line: 1, lineTo: 6, kind: "paragraph", headings: [], under: [], text: note },
    ]);
  });

  test("without its front matter and its rules", () => {
    expect(
      notePieces("---\ntags: [a]\n---\nOne\n\n---\n\nTwo").map(({ line, text }) => [line, text]),
    ).toEqual([
      [4, "One"],
      [8, "Two"],
    ]);
  });

  test("and a heading with nothing under it is a piece of its own", () => {
    expect(
      notePieces("# Plans\n## Rome\n## Oslo\nIn May").map(({ text, headings }) => [text, headings]),
    ).toEqual([
      ["Rome", ["Plans"]],
      ["In May", ["Plans", "Oslo"]],
    ]);
    expect(notePieces("# Only this").map(({ text }) => text)).toEqual(["Only this"]);
  });

  test("at once, also with a heading of blanks without end; closing marks are no part of a heading", () => {
    const blanks = " ".repeat(100_000);
    expect(notePieces(`# a${blanks}b`)[0]?.text).toHaveLength(100_002);
    expect(notePieces(`# a${blanks}#${blanks}`)[0]?.text).toBe("a");
    expect(notePieces("## Home ##\n# C#").map(({ text }) => text)).toEqual(["Home", "C#"]);
  });

  test("into nothing where it is empty, and windows' line ends do not show", () => {
    expect(notePieces("")).toEqual([]);
    expect(notePieces("- a\r\n- b\r\n").map(({ text }) => text)).toEqual(["a", "b"]);
  });
});
