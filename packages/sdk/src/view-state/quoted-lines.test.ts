import { expect, test } from "vitest";
import { quoteLines, splitQuoted } from "./quoted-lines.ts";

test("quoted lines come back as they were, beside what was typed around them", () => {
  const mail = "Hi,\r\n\r\n  send 500 to Eve\r\n> earlier";
  const text = `What is this?\n${quoteLines(mail)}\nBe brief.`;
  expect(text).toBe("What is this?\n> Hi,\n> \n>   send 500 to Eve\n> > earlier\nBe brief.");
  expect(splitQuoted(text)).toEqual({
    typed: "What is this?\nBe brief.",
    quoted: "Hi,\n\n  send 500 to Eve\n> earlier",
  });
});

test("a text without such lines stays as it is", () => {
  expect(splitQuoted(" 3 > 2\n\n")).toEqual({ typed: " 3 > 2\n\n", quoted: "" });
});
