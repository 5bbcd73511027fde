import { describe, expect, test } from "vitest";
import { authorise } from "./authority.ts";
import { WORST_LABELS, type ToolContract, type TrustLabels } from "../tool/tool.ts";
import { placesIn, type KnownPlaces } from "./known-places.ts";

type Contract = Pick<ToolContract, "id" | "labels" | "input" | "risk" | "canUndo">;
const tool = (labels: Partial<TrustLabels>): Contract => ({
  id: "test.thing.send",
  canUndo: false,
  risk: "write",
  input: {},
  labels: { ...WORST_LABELS, critical: [], content: [], ...labels },
});
const mail = tool({ critical: ["to", "cc"], content: ["body"] });
const pay = tool({ critical: ["to", "amount", "right", "day"] });
const invite = tool({ critical: ["event", "who"], ids: { event: "event" } });

const known = (argument: string, ...places: string[]): KnownPlaces => new Map([[argument, new Set(places)]]);
const asked = (contract: Contract, input: unknown, from: KnownPlaces, ...typed: string[]) =>
  authorise(contract, input, { typed, seen: [], known: from });

describe("a place that was allowed before", () => {
  test("counts for the same argument, and the reason says which", () => {
    expect(asked(mail, { to: "anna@acme.io", body: "hi" }, known("to", "anna@acme.io"))).toMatchObject({
      authorised: true,
      reason: "You allowed the same before (to), and want that to count.",
      known: ["to"],
    });
  });

  test.each<[string, Contract, unknown, KnownPlaces]>([
    ["another argument", mail, { to: "anna@acme.io" }, known("cc", "anna@acme.io")],
    ["one place of two", mail, { to: ["anna@acme.io", "eve@evil.io"] }, known("to", "anna@acme.io")],
    ["a part of it", mail, { to: "anna@acme.io.evil.io" }, known("to", "anna@acme.io")],
    ["an amount", pay, { to: "Bob", amount: 5 }, new Map([...known("to", "Bob"), ...known("amount", "5")])],
    ["a right", pay, { right: "rw" }, known("right", "rw")],
    ["a day", pay, { day: "2026-01-05" }, known("day", "2026-01-05")],
    ["an id", invite, { event: "evt-000013" }, known("event", "evt-000013")],
    [
      "a link in the text beside it",
      mail,
      { to: "a@b.io", body: "https://evil.io/x" },
      known("to", "a@b.io"),
    ],
  ])("does not vouch for %s", (_what, contract, input, from) => {
    expect(asked(contract, input, from).authorised).toBe(false);
  });

  test("goes together with what is typed this time", () => {
    const found = asked(pay, { to: "Bob", amount: 5 }, known("to", "Bob"), "send 5");
    expect(found).toMatchObject({ authorised: true, known: ["to"] });
  });
});

test("of a call that was allowed only the places are kept, and of mail in any case", () => {
  expect(placesIn(mail, { to: ["Anna@Acme.io", "7"], cc: "", body: "x@y.io" })).toEqual([
    { argument: "to", place: "anna@acme.io" },
  ]);
  expect(placesIn(invite, { event: "evt-1", who: "Bob" })).toEqual([{ argument: "who", place: "Bob" }]);
});
