import { isOrder } from "@elwood/core/memory/answer-shape";
import { expect, test } from "vitest";
import { variedMessage } from "./varied-messages.ts";

const MESSAGES = Array.from({ length: 5_000 }, (_, at) => variedMessage(at));

test("messages are the same on every machine, and hardly one of them comes twice", () => {
  expect(variedMessage(17)).toEqual(MESSAGES[17]);
  const telling = MESSAGES.filter(({ kind }) => kind !== "small talk").map(({ text }) => text);
  expect(new Set(telling).size).toBeGreaterThan(telling.length * 0.98);
});

test("what is looked up is asked for in more than one way, and of the same kind each time", () => {
  const lookups = MESSAGES.filter(({ kind }) => kind === "lookup").map(({ text }) => text);
  // By which the model that stands in for one knows what to do.
  for (const text of lookups) expect(text).toMatch(/^Look /);
  const orders = lookups.filter((text) => isOrder(text)).length / lookups.length;
  expect(orders).toBeGreaterThan(0.3);
  expect(orders).toBeLessThan(0.7);
});

test("every kind of message comes, those that use a tool among them, and no word stands in most of them", () => {
  for (const kind of ["small talk", "order", "question", "fact", "note", "lookup"])
    expect(MESSAGES.filter((message) => message.kind === kind).length, kind).toBeGreaterThan(200);
  const counts = new Map<string, number>();
  for (const { text } of MESSAGES)
    for (const word of new Set(text.toLowerCase().match(/[a-z-]{5,}/g)))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  expect(Math.max(...counts.values())).toBeLessThan(MESSAGES.length / 2);
});
