import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "@elwood/platform/system";
import { LocaleText } from "./locale-text.ts";
import { SandboxPool } from "./pool.ts";
import { quietLog, STARTED_AT, Trial } from "./test-sandbox.ts";
import { zoneOffset } from "./engine.ts";

const pool = new SandboxPool({ clock: systemClock, log: quietLog });
afterAll(() => pool.close());

const run = (source: string, timeZone = "Europe/Vienna") => new Trial(pool, source, { timeZone }).value();
/** Spaces of any kind are told alike: which one is used changes with the data of the platform. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/\s/g, " ")) as unknown;

describe("dates and numbers of a program", () => {
  test.each([
    ["de-DE", "15.11.2026", "10:00:00", "15. November 2026", "1.234,5"],
    ["en-GB", "15/11/2026", "10:00:00", "15 November 2026", "1,234.5"],
    ["en-US", "11/15/2026", "10:00:00 AM", "November 15, 2026", "1,234.5"],
    ["fr-FR", "15/11/2026", "10:00:00", "15 novembre 2026", "1 234,5"],
    ["es-ES", "15/11/2026", "10:00:00", "15 de noviembre de 2026", "1234,5"],
    ["it-IT", "15/11/2026", "10:00:00", "15 novembre 2026", "1234,5"],
    ["ja-JP", "2026/11/15", "10:00:00", "2026年11月15日", "1,234.5"],
    ["pt-BR", "15/11/2026", "10:00:00", "15 de novembro de 2026", "1.234,5"],
  ])("are written as in %s", async (locale, date, time, long, number) => {
    const written = await run(
      `const d = new Date(); const l = ${JSON.stringify(locale)};
       return [d.toLocaleDateString(l), d.toLocaleTimeString(l), d.toLocaleDateString(l, { dateStyle: "long" }), (1234.5).toLocaleString(l)]`,
    );
    expect(plain(written)).toEqual([date, time, long, number]);
  });

  test("take the options of their methods, lists of locales, and other zones", async () => {
    const written = await run(
      `const d = new Date();
       return [
         d.toLocaleString("de-DE", { weekday: "long", hour: "2-digit", minute: "2-digit", timeZone: "Asia/Tokyo" }),
         d.toLocaleDateString(["xx-XX", "de-AT"], { month: "long" }),
         (0.256).toLocaleString("de-DE", { style: "percent", maximumFractionDigits: 1 }),
         (99.5).toLocaleString("en-IE", { style: "currency", currency: "EUR" }),
         (12345678901234567890n).toLocaleString("en-US"),
         [1234, new Date(0)].map((each) => each.toLocaleString("en-US", { timeZone: "UTC" })),
         new Date(NaN).toLocaleDateString("de-DE"),
       ]`,
    );
    expect(plain(written)).toEqual([
      "Sonntag, 18:00",
      "November",
      "25,6 %",
      "€99.50",
      "12,345,678,901,234,567,890",
      ["1,234", "1/1/1970, 12:00:00 AM"],
      "Invalid Date",
    ]);
  });

  test("sort and change their letters as a language does", async () => {
    const written = await run(
      `return [["Zebra", "äpfel", "apfel", "Birne"].sort((a, b) => a.localeCompare(b, "de")),
        ["z", "ä"].sort((a, b) => a.localeCompare(b, "sv")), ["10", "9"].sort((a, b) => a.localeCompare(b, "en", { numeric: true })),
        "i".toLocaleUpperCase("tr"), "I".toLocaleLowerCase("tr")]`,
    );
    expect(written).toEqual([["apfel", "äpfel", "Birne", "Zebra"], ["z", "ä"], ["9", "10"], "İ", "ı"]);
  });

  test("what cannot be written is an error that the program can catch", async () => {
    const tried = await run(
      `const tries = [() => new Date().toLocaleString("nonsense-locale-name"), () => (1).toLocaleString("de", { style: "currency" }),
         () => new Date().toLocaleString("de", { timeZone: "Nowhere/Land" }), () => (1).toLocaleString(7),
         () => Date.prototype.toLocaleString.call({}), () => (1).toLocaleString("de", { unit: "x".repeat(5000) })];
       return tries.map((each) => { try { return each(); } catch (error) { return error.name; } })`,
    );
    expect(tried).toEqual([
      "RangeError",
      "RangeError",
      "RangeError",
      "RangeError",
      "TypeError",
      "RangeError",
    ]);
  });

  test("are in the owner's time zone, summer time included", async () => {
    const parts = `const winter = new Date(2026, 0, 15, 8, 30), summer = new Date(2026, 6, 15, 8, 30);
      return [winter.toISOString(), summer.toISOString(), winter.getTimezoneOffset(), new Date("2026-11-15T23:30:00Z").getDate(), new Date("2026-07-15T12:00:00Z").getHours()]`;
    expect(await run(parts, "Europe/Vienna")).toEqual([
      "2026-01-15T07:30:00.000Z",
      "2026-07-15T06:30:00.000Z",
      -60,
      16,
      14,
    ]);
    expect(await run(parts, "America/New_York")).toEqual([
      "2026-01-15T13:30:00.000Z",
      "2026-07-15T12:30:00.000Z",
      300,
      15,
      8,
    ]);
    expect(await run(parts, "UTC")).toEqual([
      "2026-01-15T08:30:00.000Z",
      "2026-07-15T08:30:00.000Z",
      0,
      15,
      12,
    ]);
  });

  test("now tells the owner's wall clock, and moves with the program's time", async () => {
    expect(new Date(STARTED_AT).toISOString()).toBe("2026-11-15T09:00:00.000Z");
    expect(await run("return { ...now }", "Pacific/Auckland")).toEqual({
      iso: "2026-11-15T09:00:00.000Z",
      local: "2026-11-15 22:00",
      date: "2026-11-15",
      time: "22:00",
      weekday: "Sunday",
      timeZone: "Pacific/Auckland",
    });
    expect(await run("return [now.local, now.weekday]", "Pacific/Kiritimati")).toEqual([
      "2026-11-15 23:00",
      "Sunday",
    ]);
    expect(await run("return [now.local, now.weekday, now.date]", "Pacific/Pago_Pago")).toEqual([
      "2026-11-14 22:00",
      "Saturday",
      "2026-11-14",
    ]);
    expect(
      await run("const before = now.iso; await tools.files.read({}); return [before, now.iso]", "UTC"),
    ).toEqual(["2026-11-15T09:00:00.000Z", "2026-11-15T09:00:01.000Z"]);
  });

  test("a program that writes dates for ever is ended by its time, and the next one runs", async () => {
    const limits = { cpuMs: 1_000 };
    const forever = new Trial(
      pool,
      `for (let n = 0; ; n++) new Date(n * 1e9).toLocaleString("de", { dateStyle: "full" });`,
      { limits, timeZone: "Europe/Vienna" },
    );
    expect(await forever.code()).toBe("program.cpu_limit");
    expect(await run("return now.time")).toBe("10:00");
  });

  test("a program that takes the name for itself, or changes what it finds, fools only itself", async () => {
    expect(await run("const now = Date.now(); return now")).toBe(STARTED_AT);
    expect(
      await run(
        `Object.prototype.toJSON = () => "x"; Date.prototype.getTimezoneOffset = () => 9; String.prototype.slice = () => "x";
         try { now.local = "x"; } catch {} return now.local + " " + String(typeof Intl)`,
      ),
    ).toBe("2026-11-15 10:00 undefined");
  });
});

test("what was asked of a zone is kept, and moments that no date has are no error", () => {
  const offset = zoneOffset("Asia/Kolkata");
  expect([offset(0), offset(0), offset(1e20), offset(Number.NaN)]).toEqual([-330, -330, 0, 0]);
  for (let step = 0; step < 3_000; step++) offset(step * 900);
  expect(offset(900)).toBe(-330);
  expect(zoneOffset("America/New_York")(Date.UTC(2026, 6, 1) / 1_000)).toBe(240);
});

test("what no program can ask for is answered in words", () => {
  const texts = new LocaleText("UTC");
  expect(texts.write("teleport", "", "", "[]")).toMatch(/^!/);
  expect(texts.write("number", "1", "", "")).toMatch(/^!/);
  expect(texts.write("number", "1", "", "null")).toMatch(/^!/);
  expect(texts.write("number", "1", "", '["de", 7]')).toBe("!The options must be an object.");
  for (let n = 0; n < 30; n++)
    expect(texts.write("compare", "a", "b", JSON.stringify(["de", { numeric: n % 2 === 0, n }]))).toBe("=-1");
});
