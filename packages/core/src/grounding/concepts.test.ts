import { expect, test } from "vitest";
import { conceptsIn, conceptsNamed, general, isDeed } from "./concepts.ts";

const deeds = (text: string) => conceptsIn(text).filter(isDeed);

test.each([
  "Ich habe es geschickt.",
  "Je l'ai envoyé.",
  "Wysłałem to.",
  "送信しました。",
  "我已经发了。",
  "보냈습니다.",
])("a wording has the same concept in every language: %s", (text) => {
  expect(deeds(text)[0]).toBe(deeds("I sent it.")[0]);
});

test("what has been done is told from what is yet to be done, whatever the deed", () => {
  const [sent, send] = [deeds("sent")[0]!, deeds("send")[0]!];
  expect(sent).not.toBe(send);
  expect(general(sent)).toBe(general(deeds("deleted")[0]!));
  expect(general(send)).toBe(general(deeds("delete")[0]!));
});

test("words of no list are left out, names are not", () => {
  expect(conceptsIn("zyx qwv")).toEqual([]);
  expect(conceptsIn("to Dana")).toHaveLength(2);
});

test("a concept that no list names is refused", () => {
  expect(() => conceptsNamed("weather on the moon")).toThrow("weather on the moon");
});
