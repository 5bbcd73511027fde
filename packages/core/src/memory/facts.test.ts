import { describe, expect, test } from "vitest";
import { aboutTheSame, isActive, parseFacts } from "./facts.ts";

const day = (text: string) => Date.parse(`${text}T00:00:00Z`);

describe("facts of a note", () => {
  test("are its bullets, with the line they stand on and what they are about", () => {
    const facts = parseFacts("# Home\n\nSome words.\n\n- Car: a blue Volvo\n* likes tea\n1. third\n");
    expect(facts.map(({ line, subject, text }) => [line, subject, text])).toEqual([
      [5, "home / car", "Car: a blue Volvo"],
      [6, undefined, "likes tea"],
      [7, undefined, "third"],
    ]);
  });

  test("belong to their heading, so that two people can live in two towns", () => {
    const facts = parseFacts("## Ada\n- Town: Rome\n## Bob\n- Town: Oslo\n");
    expect(facts.map(({ subject }) => subject)).toEqual(["ada / town", "bob / town"]);
  });

  test.each([
    ["- Car: Volvo (since 2024-05)", day("2024-05-01"), undefined],
    ["- Car: Volvo (until 2024-05)", undefined, day("2024-06-01")],
    ["- Car: Volvo (2023 – 2024-05-03)", day("2023-01-01"), day("2024-05-04")],
    ["- Car: Volvo (from 2023-02 to 2024)", day("2023-02-01"), day("2025-01-01")],
    ["- Car: Volvo, since 2024-05-02", day("2024-05-02"), undefined],
    ["- Auto: Volvo (seit 2024-05)", day("2024-05-01"), undefined],
    ["- 2024-05-03: Car: Volvo", day("2024-05-03"), undefined],
    ["- [2024-05] Car: Volvo", day("2024-05-01"), undefined],
    ["- Car: Volvo (since 2024-02-31)", undefined, undefined],
    ["- Car: Volvo (a gift from Ada)", undefined, undefined],
  ])("hold for the time that %s says", (bullet, from, to) => {
    const [fact] = parseFacts(bullet);
    expect([fact!.validFrom, fact!.validTo]).toEqual([from, to]);
    if (from !== undefined || to !== undefined) expect(fact!.text).toMatch(/^(?:Car|Auto): Volvo$/);
  });

  test("are ended by a bullet about the same thing that says since when it holds, and stay on record", () => {
    const facts = parseFacts("- Car: Volvo (since 2020)\n- Car: Audi (since 2024-05)\n- Car: Fiat\n");
    expect(facts.map(({ supersededBy }) => supersededBy)).toEqual([2, undefined, 1]);
    expect(facts[0]).toMatchObject({ validTo: day("2024-05-01"), text: "Car: Volvo" });
    const at = day("2025-01-01");
    expect(facts.filter((fact) => isActive(fact, at)).map(({ text }) => text)).toEqual(["Car: Audi"]);
    expect(facts.filter((fact) => isActive(fact, day("2022-01-01"))).map(({ text }) => text)).toEqual([
      "Car: Volvo",
    ]);
  });

  test("contradict each other in the open where no date says which holds, the later bullet first", () => {
    const facts = parseFacts("- Allergy: nuts\n- Allergy: none\n");
    expect(facts.every((fact) => isActive(fact, 0))).toBe(true);
    expect(aboutTheSame(facts[0]!, facts).map(({ text }) => text)).toEqual([
      "Allergy: none",
      "Allergy: nuts",
    ]);
  });

  test("that are crossed out hold no longer, and end nothing else", () => {
    const facts = parseFacts("- ~~Car: Audi (since 2024)~~\n- Car: Volvo\n- Phone: old (?)\n");
    expect(facts[0]).toMatchObject({ struck: true, text: "Car: Audi" });
    expect(isActive(facts[0]!, day("2026-01-01"))).toBe(false);
    expect(isActive(facts[1]!, day("2026-01-01"))).toBe(true);
    expect(facts[2]).toMatchObject({ confidence: 0.5, text: "Phone: old" });
  });

  test("are not read from code, and a link or a time is no subject", () => {
    const facts = parseFacts("```\n- Car: Volvo\n```\n- see https://a.example/b\n- at 10:30 sharp\n");
    expect(facts.map(({ subject }) => subject)).toEqual([undefined, undefined]);
  });

  test("are read in time that grows with the note, whatever it holds", () => {
    const hostile = `${"- ".repeat(20_000)}\n${"(since ".repeat(20_000)}\n${"- a (".repeat(20_000)}`;
    const often = Array.from({ length: 20_000 }, (_, i) => `- a: b (since ${1000 + i})`).join("\n");
    const blanks = `# a${" ".repeat(1_900)}b\n`.repeat(500);
    const before = process.cpuUsage();
    for (const note of [hostile, often, blanks]) parseFacts(note);
    expect(process.cpuUsage(before).user).toBeLessThan(500_000);
  });
});
