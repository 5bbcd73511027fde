import { expect, test } from "vitest";
import { PersonalData } from "./personal-data.ts";

test("AC-16: personal data is taken out, and the same value gets the same marker", () => {
  const data = new PersonalData();
  expect(data.takeOut("Write to anna@example.org or bob@example.org, not ANNA@example.org.")).toEqual({
    text: "Write to [email 1] or [email 2], not [email 1].",
    kinds: ["email"],
  });
  expect(
    data.takeOut("Call +49 30 1234567, pay DE89 3704 0044 0532 0130 00 or 4111 1111 1111 1111 from 10.0.0.7"),
  ).toEqual({
    text: "Call [phone 1], pay [iban 1] or [card 1] from [address 1]",
    kinds: ["iban", "card", "address", "phone"],
  });
});

test("numbers whose check digit is wrong, versions and ordinary words stay", () => {
  const text =
    "Order 4111 1111 1111 1112, GB83 WEST 1234 5698 ABCD 32, version 1.2.3, 999.1.1.1, room 12-34, 2026-11-16";
  expect(new PersonalData().takeOut(text)).toEqual({ text, kinds: [] });
});
