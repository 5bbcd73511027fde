import { expect, test } from "vitest";
import { cardOf, type CardSource } from "./card.ts";
import { mixedAlphabets } from "./mixed-alphabets.ts";

const words = (value: unknown) => mixedAlphabets([value]).map((effect) => effect.words);

test.each([
  ["https://раypal.com/login", "mixes alphabets (Latin, Cyrillic)"],
  ["https://paypаl.com/login", "its real name is xn--paypl-7ve.com"],
  ["write to anna@gооgle.com", "mixes alphabets (Latin, Cyrillic)"],
  ["go to gοοgle.com", "mixes alphabets (Latin, Greek)"],
  ["https://www.аррӏе.com/", "Cyrillic letters that look like Latin ones"],
  ["https://xn--pypal-4ve.com/", "stands for a name in other letters"],
  ["https://ok.example/?to=раypal.com", "mixes alphabets"],
  ["eⅽho.раypal。com", "mixes alphabets"],
])("%s is told: %s", (text, told) => {
  expect(words(text).join()).toContain(told);
  expect(words({ body: ["x", { link: text }] }).join()).toContain(told);
});

test.each([
  "https://example.com/a",
  "https://müller.de/",
  "https://пример.рф/",
  "https://пример.com/",
  "https://日本語テスト.jp/",
  "https://한국어.kr/",
  "Hello Anna. Привет, Анна. 你好。今天",
  "notes.md, report-2026.pdf",
])("%s is nothing to tell", (text) => {
  expect(words(text)).toEqual([]);
});

test("a long text of any kind costs little", () => {
  const begun = process.cpuUsage();
  for (const unit of ["а.", "a-", "xn--", "а", "。", "@а."]) words(unit.repeat(200_000));
  expect(process.cpuUsage(begun).user).toBeLessThan(2_000_000);
});

test("the card of a fetch says it, in red", () => {
  const source: CardSource = {
    approvalId: "a",
    kind: "approval",
    callId: "c",
    runId: "r",
    sessionKey: "s",
    toolName: "web.page.fetch",
    summary: "Fetch",
    details: { url: "https://раypal.com/" },
    digest: "d",
    risk: "read",
    rule: "mode.balanced",
    reason: "",
    sources: [],
    decisions: ["once"],
    showable: true,
    expiresAt: 0,
  };
  expect(cardOf(source).effects).toContainEqual({
    words: expect.stringContaining("mixes alphabets (Latin, Cyrillic)"),
    tone: "bad",
  });
  const step = { toolId: "web.page.fetch", input: source.details, risk: "read", summary: "x" };
  const plan = cardOf({ ...source, toolName: "program.code.run", details: { source: "x" }, plan: [step] });
  expect(JSON.stringify(plan.effects)).toContain("mixes alphabets");
});
