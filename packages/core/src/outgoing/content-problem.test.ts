import { describe, expect, test } from "vitest";
import { contentProblem } from "./content-problem.ts";

const TYPED = ["Write a nice note to anna@acme.example about the party on Friday"];
const check = (body: unknown, { typed = TYPED, secret }: { typed?: string[]; secret?: unknown } = {}) =>
  contentProblem(body, typed, secret === undefined ? [] : [{ sensitive: true, value: secret }]);

describe("a link, host or address that the owner did not type", () => {
  test.each([
    "http://93.184.216.34/login",
    "Go to 93.184.216.34 now",
    "0x5d.0xb8.0xd8.0x22/login",
    "http://1572395042/",
    "http://[2606:2800:220:1::1]/x",
    "see 2606:2800:220:1:248:1893:25c8:1946",
    "https://evil。com",
    "evil。com",
    "evil．com/login",
    "evil｡com",
    "evil․com",
    "evil﹒com",
    "恶意。com/登录",
    "evil%2Ecom",
    "https%3A%2F%2Fevil.com",
    "https%253A%252F%252Fevil%252Ecom",
    "evil.c\u00adom",
    "evil.c\u200bom",
    "evil\u2060.com",
    "ev\u200dil.com",
    "evil&#46;com",
    "evil&#x2e;com",
    "evil&period;com",
    "https&colon;//evil.com",
    "evil\\.com",
    "evil\\u002ecom",
    "evil[.]com",
    "evil (dot) com",
    "evil dot com",
    "evil . com",
    "evil .com",
    "hxxps://evil.com/x",
    "https:evil.com",
    "https:/evil.com",
    "https:\\\\evil.com\\x",
    "//evil.com/x",
    "ｅｖｉｌ．ｃｏｍ",
    "𝗲𝘃𝗶𝗹.𝗰𝗼𝗺",
    "ⓔⓥⓘⓛ.com",
    "еvil.com",
    "зло.рф",
    "恶意.中国",
    "evil.xn--p1ai",
    "💩.la",
    "WWW.EVIL.COM",
    "user@evil.com",
    "eve [at] evil [dot] com",
    "eve＠evil.com",
    "mailto:eve@evil.com",
    "tel:+4915112345678",
    "bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
    "javascript:alert(1)",
    "smb://evil/share",
    "http://nas/",
    "http://localhost/",
    "localhost:8080/x",
    "[click here](https://evil.com)",
    "<a href=evil.com>x</a>",
    "evil.<b></b>com",
    "ask @eve_on_telegram",
    "t.me/eve",
    "party.example:8443/rsvp",
  ])("%s is found", (text) => {
    expect(check(`Hello Anna, ${text} please`), text).toMatchObject({ kind: "stranger" });
    expect(check({ note: [text] }), text).toMatchObject({ kind: "stranger" });
  });

  test("is theirs in any spelling of the very same one, and nothing else is", () => {
    const typed = [
      "Send Anna https://party.example/rsvp?x=1 and bob@acme.example and 10.0.0.7 and nas.local",
    ];
    for (const text of [
      "https://party.example/rsvp?x=1",
      "party.example/rsvp?x=1.",
      "HTTPS://PARTY.example/rsvp?x=1",
      "(https://party.example/rsvp?x=1)",
      "BOB@acme.example",
      "10.0.0.7",
      "nas.local!",
    ])
      expect(check(text, { typed }), text).toBeUndefined();
    for (const text of [
      "https://party.example/rsvp?x=2",
      "https://party.example",
      "http://party.example/rsvp?x=1",
      "https://party.example.evil.com/rsvp?x=1",
      "https://evil.com/party.example/rsvp?x=1",
      "https://раrty.example/rsvp?x=1",
      "bob@acme.example.evil.com",
      "10.0.0.70",
    ])
      expect(check(text, { typed }), text).toMatchObject({ kind: "stranger" });
  });
});

describe("an account or a code that the owner did not type", () => {
  const IBAN = "DE89370400440532013000";
  test.each([
    IBAN,
    "DE89 3704 0044 0532 0130 00",
    "DE89.3704.0044.0532.0130.00",
    "DE89_3704_0044_0532_0130_00",
    "DE89/3704/0044/0532/0130/00",
    "DE89·3704·0044·0532·0130·00",
    "GB82 WEST 1234 5698 7654 32",
    "D E 8 9 3 7 0 4 0 0 4 4 0 5 3 2",
    "030.123.456",
    "+49 (0)30 / 123-456",
    "4711-99-12",
    "4711-2026-11-16-99",
    "4711 2026 9912",
    "47119",
    "4 7 1 1 9 9",
    "4, 7, 1, 1, 9, 9",
    "④⑦①①⑨⑨",
    "❹❼❶❶❾❾",
    "４７１１９９",
    "٤٧١١٩٩",
    "۴۷۱۱۹۹",
    "४७११९९",
    "𝟒𝟕𝟏𝟏𝟗𝟗",
    "⁴⁷¹¹⁹⁹",
    "4️⃣7️⃣1️⃣1️⃣9️⃣9️⃣",
    "4\u200b7\u200b1\u200b1\u200b9\u200b9",
    "四七一一九九",
    "four seven one one nine nine",
    "vier-sieben-eins-eins-neun-neun",
    "&#52;&#55;&#49;&#49;&#57;&#57;",
    "%34%37%31%31%39%39",
    "x7k2q9",
    "0x52908400098527886E0F7030069857D2E4169EE7",
    "123-456",
    "471.199",
    "99:47:11",
    "31.13.4711",
  ])("%s is found", (code) => {
    expect(check(`Please use ${code} for it`), code).toMatchObject({ kind: "stranger" });
  });

  test("is found as a number, digit by digit, and as the name of a member", () => {
    for (const value of [
      471_199,
      [4, 7, 1, 1, 9, 9],
      ["47", "11", "99"],
      { "4711-99": true },
      { a: { b: 471_199 } },
    ])
      expect(check(value), JSON.stringify(value)).toMatchObject({
        kind: "stranger",
        what: "a number or code",
      });
  });

  test("is theirs where they typed it, in whatever grouping", () => {
    const typed = [`Tell Anna to use ${IBAN} and to call 030 123456, 3 times`];
    for (const text of [IBAN, "DE89 3704 0044 0532 0130 00", "030-123-456", "030/123456"])
      expect(check(text, { typed }), text).toBeUndefined();
    for (const text of ["DE89 3704 0044 0532 0130 01", "030 123457"])
      expect(check(text, { typed }), text).toMatchObject({ kind: "stranger" });
  });

  test.each([
    "See you on 2024-06-01 at 10:00 in room 12; 75002 Paris.",
    "It is on Friday, 16.11.2026, 10:30-11:30, with 3 people.",
    "16.11. 18:00, 2 beers, 12.50 EUR or 1,250.00 € in all",
    "$1,250.50 for 40 guests, 250,000 visitors in 2026",
    "2026-11-16T10:30:00Z – 2026-11-16T11:30:00+01:00",
    "Between 10 and 12, 3 or 4 of us, 50/50, 24/7, Q3 2026, COVID-19, iPhone15, A4",
    "2026年11月16日 10時30分",
    "El 3 de mayo a las 9:15, 12,5 km",
    "on 11/16/2026 from 9.30 to 17.00, the 1st, 2nd and 3rd",
    "I cost 1200 in 1998, and version 2.10.3 is out.",
    "Hello Anna. How are you? I am fine.\nSee you soon! 你好。今天很好。",
    "e.g. a.m. p.m. z.B. U.S.A. Ph.D. – Mr. Smith's house No. 5",
  ])("plain words, days, times, sums and small numbers need nobody's word: %s", (text) => {
    expect(check(text), text).toBeUndefined();
  });
});

describe("a copy of what only the owner should see", () => {
  const DIARY =
    'Monday.\nI told nobody.\nI will "quit" my job\nin spring,\nand move to Lisbon\nwith Kim.\nThe PIN is 4711.';
  const COPIES: readonly (readonly [string, string])[] = [
    ["verbatim", DIARY],
    ["one passage", 'FYI: I will "quit" my job\nin spring,\nand move to Lisbon'],
    ["in capitals", DIARY.toUpperCase()],
    ["with double blanks", DIARY.replaceAll(/\s/g, "  ")],
    ["without any", DIARY.slice(0, -17).replaceAll(/[\s.]/g, "")],
    ["letter by letter", Array.from("I will quit my job in spring and move to Lisbon").join(" ")],
    ["with points between", "I... will, quit: my; job - in / spring _ and * move ~ to + Lisbon"],
    ["with invisible signs", Array.from("I will quit my job in spring and move to Lisbon").join("\u200b")],
    [
      "in full-width letters",
      "Ｉ ｗｉｌｌ ｑｕｉｔ ｍｙ ｊｏｂ ｉｎ ｓｐｒｉｎｇ ａｎｄ ｍｏｖｅ ｔｏ Ｌｉｓ",
    ],
    ["with accents put on", "Í wíll qúít mý jób ín spríng ánd móve tó Lísbón"],
    [
      "as entities",
      Array.from(
        "I will quit my job in spring and move to Lisbon",
        (each) => `&#${each.codePointAt(0)};`,
      ).join(""),
    ],
    [
      "percent-encoded",
      encodeURIComponent("I will quit my job in spring and move to Lisbon").replaceAll(".", "%2E"),
    ],
  ];
  test.each(COPIES)("is found %s", (_how, body) => {
    for (const secret of [DIARY, { text: DIARY }, { lines: DIARY.split("\n") }, [{ a: { b: DIARY } }]])
      expect(check(body, { secret }), body).toMatchObject({ kind: "copied", from: { value: secret } });
  });

  test("is found with words put in between", () => {
    const letter =
      "We met at the old harbour and drank until the morning, and then he asked whether I would leave everything behind and go to Lisbon with him before the summer ends.";
    const words = letter.split(" ");
    const broken = words.flatMap((word, at) => (at % 6 === 5 ? [word, "so"] : [word])).join(" ");
    expect(check(broken, { secret: letter })).toMatchObject({ kind: "copied" });
  });

  test("is found of a short code too, in whatever spelling", () => {
    for (const body of [
      "4711",
      "47 11",
      "4-7-1-1",
      "47:11",
      "④⑦①①",
      "four seven one one",
      "the number is 47.11",
    ])
      expect(check(body, { secret: DIARY }), body).toMatchObject({ kind: "copied" });
    expect(check("11:47", { secret: { pin: 1147 } })).toMatchObject({ kind: "copied" });
    expect(check("it is hunter2x", { secret: "password: Hunter2x" })).toMatchObject({ kind: "copied" });
  });

  test("is none where the owner typed it, where it is no secret, or where only a few words are the same", () => {
    const passage = "I will quit my job in spring, and move to Lisbon with Kim";
    expect(check(passage, { secret: DIARY, typed: [`Tell Anna: ${passage}`] })).toBeUndefined();
    expect(contentProblem(passage, TYPED, [{ sensitive: false, value: DIARY }])).toBeUndefined();
    expect(check("I will visit Kim in spring, on Monday at 10:30.", { secret: DIARY })).toBeUndefined();
    expect(check("4711", { secret: DIARY, typed: ["The number is 4711"] })).toBeUndefined();
  });
});

test("a value with more members than are looked through is too much", () => {
  expect(check(Array.from({ length: 2_000 }, () => "x"))).toEqual({ kind: "too-much" });
  expect(check(Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`k${at}`, "x"])))).toEqual({
    kind: "too-much",
  });
});

test("a text of any kind is looked through in time that grows with its length alone", () => {
  const hostile = [
    "a.",
    "1-",
    "@",
    "1 ",
    "http:",
    "[",
    "one ",
    "&#1",
    "%2",
    "x7",
    "12:",
    "::",
    "。a",
    "4711, ",
    "(.",
    "€1,",
  ];
  const begun = process.cpuUsage();
  for (const unit of hostile) {
    const text = unit.repeat(15_000);
    contentProblem(text, [text], [{ sensitive: true, value: text }]);
    contentProblem(`${text}!`, [], [{ sensitive: true, value: `x${text}` }]);
  }
  expect(process.cpuUsage(begun).user).toBeLessThan(20_000_000);
});
