import { describe, expect, test } from "vitest";
import * as fc from "fast-check";
import { asksForLatest, dateWindows, DATE_WINDOWS_MAX } from "./date-window.ts";
import { LocalTime } from "../base/local-time.ts";

/** A Wednesday. */
const NOW = Date.UTC(2023, 9, 18, 12);

const days = (question: string, now = NOW, zone = "UTC") =>
  dateWindows(question, now, new LocalTime(zone)).map(
    ({ from, to, grain }) => `${iso(from)} to ${iso(to)} ${grain}`,
  );
const iso = (ts: number) => new Date(ts).toISOString().slice(0, 10);

describe("the time that a question names", () => {
  test.each([
    ["What did Tim play on October 13, 2022?", "2022-10-13 to 2022-10-14 day"],
    ["What was it on 7 May?", "2023-05-07 to 2023-05-08 day"],
    ["on the 3rd of December", "2022-12-03 to 2022-12-04 day"],
    ["am 7. Mai 2022", "2022-05-07 to 2022-05-08 day"],
    ["am 3.5.", "2023-05-03 to 2023-05-04 day"],
    ["am 24.12.2021", "2021-12-24 to 2021-12-25 day"],
    ["the call of 2023-02-28", "2023-02-28 to 2023-03-01 day"],
    ["Where was I in May 2023?", "2023-05-01 to 2023-06-01 month"],
    ["the trip in June", "2023-06-01 to 2023-07-01 month"],
    ["the trip in November", "2022-11-01 to 2022-12-01 month"],
    ["im März", "2023-03-01 to 2023-04-01 month"],
    ["summer 2021", "2021-06-01 to 2021-09-01 month"],
    ["which jobs in 2019", "2019-01-01 to 2020-01-01 year"],
    ["what did I eat yesterday", "2023-10-17 to 2023-10-18 day"],
    ["was habe ich gestern gegessen", "2023-10-17 to 2023-10-18 day"],
    ["vorgestern", "2023-10-16 to 2023-10-17 day"],
    ["today", "2023-10-18 to 2023-10-19 day"],
    ["last week", "2023-10-09 to 2023-10-16 week"],
    ["letzte Woche", "2023-10-09 to 2023-10-16 week"],
    ["this week", "2023-10-16 to 2023-10-23 week"],
    ["last weekend", "2023-10-14 to 2023-10-16 day"],
    ["last month", "2023-09-01 to 2023-10-01 month"],
    ["letztes Jahr", "2022-01-01 to 2023-01-01 year"],
    ["two weeks ago", "2023-10-01 to 2023-10-08 week"],
    ["vor drei Tagen", "2023-10-15 to 2023-10-16 day"],
    ["in the last 3 days", "2023-10-15 to 2023-10-19 week"],
    ["on Friday", "2023-10-13 to 2023-10-14 day"],
    ["on Wednesday", "2023-10-11 to 2023-10-12 day"],
    ["letzten Montag", "2023-10-16 to 2023-10-17 day"],
  ])("%s", (question, window) => {
    expect(days(question)).toEqual([window]);
  });

  test.each([
    "May I ask you something?",
    "the march of time",
    "31 apples",
    "What may help?",
    "room 2023",
    "",
  ])("%s: none", (question) => {
    expect(days(question)).toEqual([]);
  });

  test("words reckoned from now give way to a named date", () => {
    expect(days("What did she do last weekend before April 10, 2023?")).toEqual([
      "2023-04-10 to 2023-04-11 day",
    ]);
  });

  test("a day is the owner's, also where it has 23 or 25 hours", () => {
    const late = Date.UTC(2023, 9, 18, 22, 30);
    const [tokyo] = dateWindows("yesterday", late, new LocalTime("Asia/Tokyo"));
    expect(tokyo).toMatchObject({ from: Date.UTC(2023, 9, 17, 15), to: Date.UTC(2023, 9, 18, 15) });
    const [kiritimati] = dateWindows("on 1 March 2023", late, new LocalTime("Pacific/Kiritimati"));
    expect(kiritimati).toMatchObject({ from: Date.UTC(2023, 1, 28, 10), to: Date.UTC(2023, 2, 1, 10) });
    const [vienna] = dateWindows("on 29 October 2023", Date.UTC(2023, 10, 2), new LocalTime("Europe/Vienna"));
    expect(vienna!.to - vienna!.from).toBe(25 * 3_600_000);
  });

  test("is a stretch that ends after it begins, and few of them, whatever was typed", () => {
    const pieces = fc.constantFrom(
      "31",
      "June",
      "2023",
      "last",
      "week",
      "ago",
      "3",
      "vor",
      "Tagen",
      "on",
      "Friday",
      "29.2.",
      ",",
      "in",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), fc.integer({ min: 0, max: 4e12 }), (words, now) => {
        const windows = dateWindows(words.join(" "), now, new LocalTime("America/New_York"));
        expect(windows.length).toBeLessThanOrEqual(DATE_WINDOWS_MAX);
        for (const { from, to } of windows) expect(to).toBeGreaterThan(from);
      }),
    );
  });
});

test("only some questions ask for the latest word", () => {
  expect(asksForLatest("What is my current address?")).toBe(true);
  expect(asksForLatest("Was ist meine aktuelle Adresse?")).toBe(true);
  expect(asksForLatest("Where did I live as a child?")).toBe(false);
});
