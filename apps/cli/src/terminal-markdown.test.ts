import { describe, expect, test } from "vitest";
import { TerminalMarkdown } from "./terminal-markdown.ts";

/** The text as it comes out, in pieces of so many characters, with what is painted in angle brackets. */
function shown(text: string, columns = 30, pieces = [1, 3, 1_000], color = true): string {
  const outs = pieces.map((size) => {
    let out = "";
    const paint = (style: string, piece: string) => `<${style}>${piece}</>`;
    const terminal = new TerminalMarkdown((piece) => (out += piece), {
      columns,
      ...(color ? { paint } : {}),
    });
    for (let at = 0; at < text.length; at += size) terminal.write(text.slice(at, at + size));
    terminal.end();
    return out.replaceAll(/<\/><\w+>(?=\S)/g, "");
  });
  // However it arrives, it looks the same.
  expect(new Set(outs).size).toBe(1);
  return outs[0]!;
}

describe("an answer on a terminal", () => {
  test("breaks between words, and below the text of its entry", () => {
    expect(shown("Nothing is sent unless you say so yourself.")).toBe(
      "Nothing is sent unless you say\nso yourself.",
    );
    expect(shown("- one long entry that does not fit\n- two")).toBe(
      "• one long entry that does not\n  fit\n• two",
    );
    expect(shown("10. one long entry that does not fit")).toBe("10. one long entry that does\n    not fit");
  });

  test("a word that is longer than the line stays whole", () => {
    const word = "x".repeat(40);
    expect(shown(`see ${word} there`)).toBe(`see\n${word}\nthere`);
  });

  test("scripts without spaces break where the line is full", () => {
    expect(shown("一二三四五六七八九十", 10)).toBe("一二三四五\n六七八九十");
  });

  test("headings, bold text and code look like that", () => {
    expect(shown("## Garden\n\nWater the **tomatoes now** with `the can`.", 80)).toBe(
      "<bold>Garden</>\n\nWater the <bold>tomatoes</> <bold>now</> with <cyan>the</> <cyan>can</>.",
    );
    expect(shown("**Garden:** tomatoes", 80)).toBe("<bold>Garden:</> tomatoes");
    expect(shown("(**a**), **b**!", 80)).toBe("(<bold>a</>), <bold>b</>!");
  });

  test("italics look like that, and a sign inside of a word or a path is none", () => {
    expect(shown("The *Wandering Heron*, (_so_) it is.", 80)).toBe(
      "The <italic>Wandering</> <italic>Heron</>, (<italic>so</>) it is.",
    );
    expect(shown("*All of it*", 80)).toBe("<italic>All</> <italic>of</> <italic>it</>");
    for (const text of ["snake_case_name and a/_b_", "*.txt and *.md", "2*3*4", "f(*args)", "_", "a *"])
      expect(shown(text, 80)).toBe(text);
    expect(shown("* **a** *b*", 80)).toBe("• <bold>a</> <italic>b</>");
    expect(shown("*so*", 80, [1], false)).toBe("*so*");
  });

  test("signs that mean nothing stay as they are", () => {
    for (const text of ["2**3 is 8, 2**4 is 16", "a * b", "no ** end", "a ` tick", "5 * 3 * 2", "**"])
      expect(shown(text, 80)).toBe(text);
    expect(shown("open **bold\nnext", 80)).toBe("open **bold\nnext");
  });

  test("tables stand in columns, aligned as they say, with long cells going on below", () => {
    const items = "| Item | Price |\n|:---|---:|\n| **Soy milk** | 2.50 |\n| `rye` bread | 12.00 |\nDone.";
    expect(shown(items, 30)).toBe(
      [
        "<bold>Item       Price</>",
        "<dim>─────────  ─────</>",
        "Soy milk    2.50",
        "rye bread  12.00",
        "Done.",
      ].join("\n"),
    );
    expect(shown("| a | b |\n|---|:-:|\n| x \\| y | z |", 30, [1, 1_000], false)).toBe(
      "a      b\n─────  ─\nx | y  z",
    );
    expect(shown("| No | What is to be done |\n|---|---|\n| 1 | water the tomatoes |\n", 18)).toBe(
      [
        "<bold>No  What is to be</>",
        "<bold>    done</>",
        "<dim>──  ──────────────</>",
        "1   water the",
        "    tomatoes",
        "",
      ].join("\n"),
    );
    expect(shown("| 名 | n |\n|---|---|\n| 二三 | 1 |\n", 30, [1, 1_000], false)).toBe(
      "名    n\n────  ─\n二三  1\n",
    );
  });

  test("what is no table, or does not fit as one, stays as it was written", () => {
    for (const text of ["| just a line\n", "| a |\n| b |\n| c |\n", "|", "| a | b |\n|---|\n| 1 | 2 |\n"])
      expect(shown(text, 30)).toBe(text);
    const many = `|${" abcdefg |".repeat(9)}\n|${"---|".repeat(9)}\n`;
    expect(shown(many, 30)).toBe(many);
    const long = `| a |\n|---|\n${"| b |\n".repeat(9_000)}`;
    expect(shown(long, 30, [1_000])).toBe(long);
  });

  test("blocks of code keep their lines", () => {
    const line = `print("${"x".repeat(40)}")`;
    expect(shown(`Run:\n\`\`\`py\n${line}\n  # **no**\n\`\`\`\nDone **now**.`, 30)).toBe(
      `Run:\n<dim>\`\`\`py</>\nprint(<green>"${"x".repeat(40)}"</>)\n  <dim># **no**</>\n<dim>\`\`\`</>\nDone <bold>now</>.`,
    );
  });

  test("without colours only the lines are broken", () => {
    const text = "# A\n- **b** `c`\n\n```\nx\n```\n";
    expect(shown(text, 80, [1, 1_000], false)).toBe(text);
    expect(shown("- **one** long entry that does not fit", 30, [1], false)).toBe(
      "- **one** long entry that does\n  not fit",
    );
  });

  test("empty lines, spaces and line ends stay", () => {
    for (const text of ["a\n\n\nb\n", "\n\na", "a  b", "  a", "a ", "- \n- b", "1.\n2. x", ""])
      expect(shown(text, 30, [1, 2, 100], false)).toBe(text);
  });
});
