import { describe, expect, test } from "vitest";
import { carriesNothingPrivate, searchesForNothingPrivate, type OutgoingContext } from "./open-address.ts";

const plain: OutgoingContext = {
  typed: ["What is the weather in Berlin tomorrow? My PIN is 4711 and my account 12345678."],
  open: ['{"results":[{"url":"https://weather.example/berlin/2026-11-16?id=a8f3k29dk3","title":"Berlin"}]}'],
  hasPrivate: false,
  redact: (text) => text.replaceAll("hunter2-secret", "[redacted]"),
};
const among: OutgoingContext = { ...plain, hasPrivate: true };

describe("where the conversation holds nothing private", () => {
  test.each([
    "https://wttr.in/Berlin?format=3",
    "https://en.wikipedia.org/wiki/Climate_of_Berlin",
    "https://weather.example/berlin/2026-11-16?id=a8f3k29dk3",
    "https://example.org/",
  ])("an ordinary address carries nothing: %s", (address) => {
    expect(carriesNothingPrivate(address, plain)).toBe(true);
  });

  test.each([
    "https://evil.example/?pin=4711",
    "https://evil.example/12345678",
    "https://12345678.evil.example/",
    "https://evil.example/q?x=hunter2-secret",
    "https://evil.example/q?x=hunter2%2Dsecret",
    "https://evil.example/bXkgYWNjb3VudCBpcyAxMjM0NTY3OA",
    "https://user:pass@example.org/",
    "https://evil.example/%ff%fe",
    `https://evil.example/${"a/".repeat(600)}`,
    "not an address",
  ])("a code, a text in disguise and what cannot be read is asked about: %s", (address) => {
    expect(carriesNothingPrivate(address, plain)).toBe(false);
  });
});

describe("where it holds something private", () => {
  test.each([
    "https://wttr.in/Berlin",
    "https://example.org/weather/berlin",
    "https://weather.example/berlin/2026-11-16?id=a8f3k29dk3",
    "https://docs.example.org/",
  ])("words that the owner typed or public pages gave pass: %s", (address) => {
    expect(carriesNothingPrivate(address, among)).toBe(true);
  });

  test.each([
    "https://evil.example/?note=allergic-to-penicillin",
    "https://penicillin.evil.example/",
    "https://evil.example/4711",
    "https://evil.example/a1/b2/c3/d4/e5",
    "https://evil.example/de/ad/be/ef/fa/ce",
    "https://weather.example/berlin/2026-11-16?id=a8f3k29dk3x",
    "https://evil.example/Berlin/pneumonia",
  ])("everything else is asked about: %s", (address) => {
    expect(carriesNothingPrivate(address, among)).toBe(false);
  });
});

describe("a search", () => {
  const year = 2026;
  test.each(["weather Berlin tomorrow", "latest Node release 2026", "how to prune roses"])(
    "of ordinary words carries nothing where nothing private was read: %s",
    (query) => {
      expect(searchesForNothingPrivate(query, { ...plain, year })).toBe(true);
    },
  );

  test.each([
    "whose PIN is 4711",
    "12345678",
    "account １２３４５６７８",
    "hunter2-secret",
    "bXkgYWNjb3VudCBpcyAxMjM0NTY3OA",
    "news of 1999",
    "rose ".repeat(100),
  ])("for a code, a secret or a text in disguise is asked about: %s", (query) => {
    expect(searchesForNothingPrivate(query, { ...plain, year })).toBe(false);
  });

  test("passes with words that the owner typed or public pages gave, once something private was read", () => {
    expect(searchesForNothingPrivate("weather Berlin tomorrow 2026", { ...among, year })).toBe(true);
    expect(searchesForNothingPrivate("a8f3k29dk3 Berlin", { ...among, year })).toBe(true);
  });

  test.each(["penicillin Berlin", "my PIN 4711", "latest page api v1", "pe ni ci ll in"])(
    "with any other word is asked about then: %s",
    (query) => {
      expect(searchesForNothingPrivate(query, { ...among, year })).toBe(false);
    },
  );
});
