import { formatMarkdown } from "@elwood/sdk/channel/format-markdown";
import { expect, test } from "vitest";
import { escapeText, toDiscord } from "./discord-markdown.ts";

const written = (markdown: string): string => toDiscord(formatMarkdown(markdown));

test("formatting is written as Discord reads it", () => {
  expect(written("**bold** *italic* ***both*** ~~gone~~ `code`")).toBe(
    "**bold** *italic* ***both*** ~~gone~~ `code`",
  );
  expect(written("__bold__ and _italic_")).toBe("**bold** and *italic*");
  expect(written("# One\n### Three\n#### Four")).toBe("# One\n\n### Three\n\n**Four**");
  expect(written("- a\n- b\n  - c\n\n1. one\n2. two")).toBe("- a\n- b\n  - c\n\n1. one\n2. two");
  expect(written("> quoted\n> **on**\n\nafter")).toBe("> quoted\n> **on**\n\nafter");
});

test("code keeps its signs, and cannot end its block", () => {
  expect(written("```ts\nlet a_b = `x`; // *y*\n```")).toBe("```ts\nlet a_b = `x`; // *y*\n```");
  expect(written("~~~\na\n~~~")).toBe("```\na\n```");
  expect(written("````md\n```js\nx\n```\n````")).toBe("```md\n``\u200b`js\nx\n``\u200b`\n```");
  expect(written("`` a`b ``")).toBe("`` a`b ``");
});

test("links show no preview and keep their address", () => {
  expect(written("[docs](https://example.com/a_b)")).toBe("[docs](<https://example.com/a_b>)");
  expect(written("see https://example.com/a_b_c.")).toBe("see <https://example.com/a_b_c>.");
  expect(written("[x](https://example.com/a\\(b\\))")).toBe("[x](<https://example.com/a%28b%29>)");
});

test("words of strangers stay words: no mention, spoiler, time, heading or hidden link", () => {
  expect(escapeText("<@123> <@&4> <#5> <:smile:6> <t:1700000000:R> </cmd:7>")).toBe(
    String.raw`\<@123> \<@&4> \<#5> \<:smile:6> \<t:1700000000:R> \</cmd:7>`,
  );
  expect(escapeText("a || b || c")).toBe(String.raw`a \|\| b \|\| c`);
  expect(escapeText("# big\n-# small\n> quote\n- item")).toBe("\\# big\n\\-# small\n\\> quote\n\\- item");
  expect(escapeText("[click](https://evil.example)")).toBe(String.raw`[click\](<https://evil.example>)`);
  expect(escapeText("snake_case *stars* ~~x~~ `y` \\")).toBe(
    String.raw`snake\_case \*stars\* \~\~x\~\~ \`y\` \\`,
  );
});
