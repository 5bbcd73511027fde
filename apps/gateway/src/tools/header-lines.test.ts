import { sha256 } from "@elwood/platform/system";
import { defineTool } from "@elwood/sdk/tool";
import { expect, test } from "vitest";
import { z } from "zod";
import { brokenHeaderLines } from "./header-lines.ts";
import { registerTool } from "./register-tool.ts";

const LABELS = {
  egress: "third_party",
  output: "trusted",
  critical: ["payee"],
  ids: {},
  content: ["body"],
  time: [],
  sensitive: false,
} as const;

const BREAKS = ["\r\n", "\n", "\r", "\u2028", "\u0085", "\0", "\v"];
const HOSTILE = BREAKS.flatMap((end) =>
  [
    { subject: `hi${end}Bcc: eve@example.org` },
    { to: ["anna@example.org", `bob@example.org${end}eve@example.org`] },
    { "Reply-To": `a${end}b` },
    { reply_to: `a${end}b` },
    { message: { headers: { "X-One": `1${end}X-Two: 2` } } },
    { headers: { [`X-One: 1${end}X-Two`]: "2" } },
    { payee: `Anna${end}Eve` },
    { url: `https://example.org/${end}Host: x` },
    { mails: [{ from: `me${end}you`, body: "x" }] },
  ].map((input) => [JSON.stringify(input), input] as const),
);

test.each(HOSTILE)("a line break where a header would end is named: %s", (_shown, input) => {
  expect(brokenHeaderLines(LABELS, input)).toEqual([expect.stringContaining("begin another header")]);
});

test("texts of several lines pass, and so does everything of a tool that sends nothing out", () => {
  const letter = {
    to: "anna@example.org",
    subject: "Dinner",
    body: "Hi\n\nsee you\r\nBcc: nobody",
    note: "a\nb",
  };
  expect(brokenHeaderLines(LABELS, letter)).toEqual([]);
  expect(brokenHeaderLines({ ...LABELS, egress: "none" }, { subject: "a\nb" })).toEqual([]);
});

test("a tool that sends something out is not given such an input", () => {
  const tool = defineTool({
    id: "mail.message.send",
    description: "Sends a mail.",
    risk: "write",
    input: z.strictObject({ to: z.string(), subject: z.string(), body: z.string() }),
    labels: { ...LABELS, critical: ["to"] },
    handler: async () => ({}),
  });
  const registered = registerTool(tool, "workspace", { sha256 });
  if (!registered.ok) throw new Error(registered.error);
  const good = { to: "anna@example.org", subject: "hi", body: "one\ntwo" };
  expect(registered.value.parseInput(good)).toMatchObject({ ok: true });
  expect(registered.value.parseInput({ ...good, subject: "hi\r\nBcc: eve@example.org" })).toEqual({
    ok: false,
    error:
      "The input does not fit mail.message.send:\n- subject: holds a line break, which would begin another header. Write it on one line",
  });
});
