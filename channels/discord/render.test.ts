import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formOf, renderContent, type DiscordForm } from "./render.ts";

const forms = (content: Parameters<typeof renderContent>[0]): DiscordForm[] =>
  renderContent(content).map(formOf);

test("a long reply is cut into messages of 2,000 characters, and code blocks end and begin again", () => {
  const code = Array.from({ length: 90 }, (_, i) => `const line${i} = "${"x".repeat(5)}";`).join("\n");
  const rest = "word ".repeat(300);
  const messages = forms({
    markdown: `Look:\n\`\`\`ts\n${code.slice(0, 1_800)}\n\`\`\`\n${rest}\n\n${rest}`,
  });
  expect(messages.length).toBeGreaterThan(2);
  for (const { content } of messages) {
    expect(content.length).toBeLessThanOrEqual(2_000);
    expect((content.match(/```/g) ?? []).length % 2).toBe(0);
  }
});

test("code that no message can hold comes as a file", () => {
  const code = "let x = 1;\n".repeat(400).trim();
  const [message] = forms({ markdown: `Here:\n\`\`\`typescript\n${code}\n\`\`\`\nDone.` });
  expect(message?.files).toEqual([{ name: "code-1.ts", text: code }]);
  expect(message?.content).toBe("Here:\n*code-1.ts (400 lines, attached)*\nDone.");
});

test("a reply of very many messages begins in the chat and comes whole as a file", () => {
  const markdown = "A sentence of some length, over and over.\n\n".repeat(800);
  const messages = forms({ markdown });
  expect(messages).toHaveLength(8);
  expect(messages.at(-1)).toEqual({
    content: "The whole reply is in the attached file.",
    files: [{ name: "reply.md", text: markdown }],
  });
});

test("buttons and the footer are with the last message, and the footer is small", () => {
  const messages = forms({
    markdown: "word ".repeat(500),
    footer: "1 file written\nhttp://127.0.0.1:18789/#/runs/run_1",
    buttons: [
      [
        { words: "Allow", data: "ok:1", tone: "good" },
        { words: "Deny", data: "no:1", tone: "bad", note: "A note for Elwood" },
      ],
    ],
  });
  expect(messages).toHaveLength(2);
  expect(messages[0]?.components).toBeUndefined();
  expect(messages[1]?.content).toContain("\n-# 1 file written\n-# <http://127.0.0.1:18789/#/runs/run_1>");
  expect(messages[1]?.components).toEqual([
    {
      type: 1,
      components: [
        { type: 2, style: 3, label: "Allow", custom_id: "ok:1" },
        { type: 2, style: 4, label: "Deny", custom_id: "note:no:1" },
      ],
    },
  ]);
});

test("a link button that only this machine could follow is written out", () => {
  const [message] = forms({
    markdown: "Too long to be shown.",
    buttons: [
      [
        { words: "Open", url: "http://127.0.0.1:18789/a" },
        { words: "Site", url: "https://elwood.example/a" },
      ],
    ],
  });
  expect(message?.content).toBe("Too long to be shown.\n-# Open: <http://127.0.0.1:18789/a>");
  expect(message?.components?.[0]?.components).toEqual([
    { type: 2, style: 5, label: "Site", url: "https://elwood.example/a" },
  ]);
});

test("more buttons than a row takes are put into several", () => {
  const buttons = Array.from({ length: 12 }, (_, i) => ({ words: `Option ${i}`, data: `op${i}` }));
  const [message] = forms({ markdown: "Which?", buttons: [buttons] });
  expect(message?.components?.map((row) => row.components.length)).toEqual([5, 5, 2]);
});

test("plain text is shown as it stands", () => {
  expect(forms({ markdown: "*not bold* <@1>\n# no heading", plain: true })[0]?.content).toBe(
    "\\*not bold\\* \\<@1>\n\\# no heading",
  );
  expect(formOf({ text: "2 * 3" }).content).toBe(String.raw`2 \* 3`);
});

test("whatever a model writes, every message fits and none is empty", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "```ts\n",
      "\n```\n",
      "**",
      "`",
      "> ",
      "- ",
      "# ",
      "||",
      "<@1>",
      "\n\n",
      "[a](https://e.com)",
    ),
    fc.string({ maxLength: 200 }),
    fc.lorem({ maxCount: 200 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      for (const { content } of forms({ markdown: pieces.join("") })) {
        expect(content.length).toBeLessThanOrEqual(2_000);
        expect(content.trim()).not.toBe("");
      }
    }),
    { numRuns: 100 },
  );
});
