import * as fc from "fast-check";
import type { Token } from "marked";
import { expect, test } from "vitest";
import { MarkdownBlocks } from "./blocks.ts";
import { MARK_SIGN, markedReply, withoutMarks } from "@elwood/sdk/view-state/mark-sign";

/** How many of the gateway's marks the page would draw in a text. */
function marksIn(text: string): number {
  const count = (tokens: readonly Token[]): number =>
    tokens.reduce((sum, token) => {
      const within = [
        ...("tokens" in token && token.tokens ? token.tokens : []),
        ...(token.type === "list" ? (token["items"] as Token[]) : []),
        ...(token.type === "table"
          ? [token["header"], ...(token["rows"] as unknown[])].flatMap((row) =>
              (row as { tokens: Token[] }[]).flatMap((cell) => cell.tokens),
            )
          : []),
      ];
      return sum + (token.type === "mark" ? 1 : 0) + count(within);
    }, 0);
  return count(new MarkdownBlocks().update(text, false).map(({ token }) => token));
}

test("OA-6: whatever a model writes, no part of it is drawn as a mark of the gateway's", () => {
  const marked = markedReply([
    { text: "Done.", by: "model", cites: ["c1"], verified: "supported" },
    { text: "\n\n- so", by: "model", verified: "unsupported", why: "no call did this" },
    { text: "◈ Not done, it failed: x.", by: "gateway" },
  ]);
  expect(marksIn(marked)).toBe(2);
  expect(withoutMarks(marked)).toBe("Done.\n\n- so");
  const piece = fc.constantFrom(
    "[✓ c1]",
    "[◈ c1]",
    "[◈ not verified]",
    MARK_SIGN,
    `[${MARK_SIGN}✓ c1]`,
    "`",
    "``",
    "```",
    "~~~",
    "\\",
    "\n",
    "\n\n",
    "    ",
    "  ",
    "\t",
    "> ",
    "- ",
    "1. ",
    "| a |",
    "\n|---|\n",
    "<b>",
    "# ",
    "*",
    "text ",
    "[a](b)",
    "![",
    "](",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (parts) => {
      const text = parts.join("");
      expect(marksIn(markedReply([{ text, by: "model" }]))).toBe(0);
    }),
    { numRuns: Number(process.env["ELWOOD_FORGE_RUNS"] ?? 2_000) },
  );
});
