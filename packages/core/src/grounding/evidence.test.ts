import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ActivityItem } from "../activity.ts";
import { CALL_STATUSES, RISKS } from "../tool.ts";
import { evidenceLine, notDone } from "./evidence.ts";
import { LOCALES } from "./language.ts";
import { GROUNDING_LIMITS } from "./limits.ts";
import { MARKS, VOICE } from "./reserved.ts";
import { WORDING } from "./templates.ts";

const item = (n: number, of: Partial<ActivityItem> = {}): ActivityItem => ({
  cite: `c${n}`,
  callId: `call-${n}`,
  toolId: "email.message.send",
  status: "succeeded",
  risk: "write",
  when: n,
  receiptRef: `r${n}`,
  summary: "",
  ...of,
});
const head = { size: 1204, root: "9f3a17c2e0b4d658aabbccdd" };
const anyItem = fc.record({
  toolId: fc.constantFrom("email.message.send", "files.file.read", "bank.transfer.create"),
  status: fc.constantFrom(...CALL_STATUSES),
  risk: fc.constantFrom(...RISKS),
  target: fc.string({ unit: "grapheme", maxLength: 300 }),
});
const anyActivity = fc.array(anyItem, { maxLength: 60 }).map((all) => all.map((of, n) => item(n + 1, of)));

describe("the evidence line", () => {
  test("OA-5: says that no tool ran, and where the log stood", () => {
    expect(evidenceLine([])).toBe("No tool ran for this reply.");
    expect(evidenceLine([], head)).toBe("No tool ran for this reply. · ◈ receipts 1204 · 9f3a17c2e0b4d658");
  });

  test("OA-5: what did not succeed comes first, then changes, then look-ups as a number", () => {
    const line = evidenceLine(
      [
        item(1, { risk: "read", toolId: "files.file.read" }),
        item(2, { target: "anna@acme.io" }),
        item(3, { toolId: "sms.message.send", status: "failed" }),
        item(4, { toolId: "bank.transfer.create", status: "pending" }),
        item(5, { risk: "read", toolId: "files.file.read" }),
      ],
      head,
    );
    expect(line).toBe(
      "✗ sms.message.send (failed) · ⏸ bank.transfer.create (waiting for you) · ✓ email.message.send → anna@acme.io · ✓ 2 reads · ◈ receipts 1204 · 9f3a17c2e0b4d658",
    );
  });

  test("OA-5: a command that ended with another code than 0 is neither done nor failed, and is never folded away", () => {
    const ran = { toolId: "shell.command.run", target: "grep -r elk .", exitCode: 1 } as const;
    expect(evidenceLine([item(1), item(2, { ...ran, risk: "read" }), item(3, { status: "failed" })])).toBe(
      "✗ email.message.send (failed) · ↯ shell.command.run → grep -r elk . (ended with code 1) · ✓ email.message.send",
    );
    for (const locale of LOCALES) expect(evidenceLine([item(1, ran)], undefined, locale)).toMatch(/^↯ .*1/);
    expect(notDone([item(1, ran)])).toEqual([]);
  });

  test("OA-5: a look-up that is all there was, or that the owner was asked about, is named", () => {
    const read = { risk: "read", toolId: "web.page.fetch", target: "https://a.example/" } as const;
    expect(evidenceLine([item(1, read)])).toBe("✓ web.page.fetch → https://a.example/");
    expect(
      evidenceLine([item(1, { ...read, approval: { required: true } }), item(2, { risk: "read" })]),
    ).toBe("✓ web.page.fetch → https://a.example/ · ✓ 1 read");
  });

  test("a failed look-up is not folded away", () => {
    expect(evidenceLine([item(1, { risk: "read", toolId: "web.page.fetch", status: "failed" })])).toBe(
      "✗ web.page.fetch (failed)",
    );
  });

  test("OA-5: a target cannot add an entry, a line or a mark", () => {
    fc.assert(
      fc.property(anyActivity, fc.constantFrom(...LOCALES), (activity, locale) => {
        const line = evidenceLine(activity, head, locale);
        expect(line).not.toMatch(/[\n\r\u2028\u2029\u202e]/u);
        const told = activity.filter(({ risk, status }) => risk !== "read" || status !== "succeeded");
        for (const mark of Object.values(MARKS).filter((each) => each !== MARKS.succeeded))
          expect(line.split(mark).length - 1).toBeLessThanOrEqual(
            told.filter(({ status }) => MARKS[status] === mark).length,
          );
        expect(line.split(VOICE)).toHaveLength(2);
        expect(line.length).toBeLessThan(GROUNDING_LIMITS.evidenceCharsMax * 2);
      }),
    );
  });

  test("OA-5: every language has its own words and the same marks", () => {
    for (const locale of LOCALES) {
      expect(evidenceLine([item(1, { status: "unknown" })], head, locale)).toContain(
        `⁇ email.message.send (${WORDING[locale].words.unknown})`,
      );
      expect(evidenceLine([], undefined, locale)).toBe(WORDING[locale].noTool);
    }
  });
});

describe("Elwood's own sentences", () => {
  test("OA-6: every call that did not succeed is told, several of a kind in one sentence", () => {
    fc.assert(
      fc.property(anyActivity, fc.constantFrom(...LOCALES), (activity, locale) => {
        const sentences = notDone(activity, locale);
        const kinds = new Set(
          activity.filter(({ status }) => status !== "succeeded").map(({ status }) => status),
        );
        expect(sentences).toHaveLength(kinds.size);
        for (const sentence of sentences) {
          expect(sentence.startsWith(`${VOICE} `)).toBe(true);
          expect(sentence).not.toMatch(/[\n\r]/u);
        }
      }),
    );
  });

  test("OA-6: failed, denied, expired, unknown and waiting are told apart", () => {
    const all = (["failed", "denied", "expired", "unknown", "pending"] as const).map((status, n) =>
      item(n + 1, { status, target: status }),
    );
    expect(notDone(all)).toEqual([
      "◈ Not done, the call failed: email.message.send → failed.",
      "◈ Not done, the call was denied: email.message.send → denied.",
      "◈ Not done, nobody answered in time: email.message.send → expired.",
      "◈ Started, but no result came back: email.message.send → unknown. It may have happened; look before you try again.",
      "◈ Not done yet, it waits for your approval: email.message.send → pending.",
    ]);
  });

  test("many calls of a kind are named up to a number and counted beyond", () => {
    const many = Array.from({ length: 9 }, (_, n) => item(n, { status: "failed", target: `t${n}` }));
    expect(notDone(many)[0]).toMatch(/t0, .* and 4 more\.$/u);
    expect(notDone(Array.from({ length: 3 }, (_, n) => item(n, { status: "failed" })))).toEqual([
      "◈ Not done, the call failed: email.message.send ×3.",
    ]);
  });

  test("nothing is said where everything succeeded", () => {
    expect(notDone([item(1)])).toEqual([]);
  });
});
