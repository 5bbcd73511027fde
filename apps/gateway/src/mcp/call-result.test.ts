import { readAnswer } from "@elwood/sdk/tool-answer";
import { expect, test } from "vitest";
import { answerOf } from "./call-result.ts";

const loans = { loans: [{ title: "Moby-Dick", due: "2026-12-01" }] };

test.each([
  ["beside words that do not have them", "1 loan", `1 loan\n${JSON.stringify(loans)}`],
  [
    "once, where the words are they",
    JSON.stringify(loans, undefined, 2),
    JSON.stringify(loans, undefined, 2),
  ],
])("the model is given the values of a typed answer %s", (_where, text, shown) => {
  const answer = answerOf("library", { content: [{ type: "text", text }], structuredContent: loans }, true);
  expect(readAnswer(answer)).toMatchObject({ ok: true, value: { value: loans, text: shown } });
});
