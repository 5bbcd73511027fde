import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ActivityItem } from "../activity.ts";
import { CALL_STATUSES } from "../tool.ts";
import { fallback, fallbackText, ground, repairInstruction } from "./ground.ts";
import { LOCALES } from "./language.ts";
import { hasReserved } from "./reserved.ts";

const call = (n: number, of: Partial<ActivityItem> = {}): ActivityItem => ({
  cite: `c${n}`,
  callId: `call-${n}`,
  toolId: "email.message.send",
  status: "succeeded",
  risk: "write",
  when: n,
  receiptRef: `r${n}`,
  summary: `email.message.send: ${of.status ?? "done"}`,
  ...of,
});
const kinds = (draft: string, activity: readonly ActivityItem[], ownerWords?: string) =>
  ground({ draft, activity, ...(ownerWords === undefined ? {} : { ownerWords }) }).problems.map(
    ({ kind }) => kind,
  );

describe("a cited statement", () => {
  test("OA-6: is marked verified where the call succeeded and its target fits", () => {
    const { text, segments, verdict } = ground({
      draft: "I sent it to anna@acme.io [c1]. Anything else?",
      activity: [call(1, { target: "anna@acme.io" })],
    });
    expect(verdict).toBe("grounded");
    expect(text).toBe("I sent it to anna@acme.io. [✓ c1] Anything else?");
    expect(segments.filter(({ verified }) => verified)).toHaveLength(1);
  });

  test("OA-6: is not marked where any cited call did not succeed", () => {
    const not = CALL_STATUSES.filter((each) => each !== "succeeded").map((status) => ({ status }));
    for (const ending of [...not, { exitCode: 2 }]) {
      const { text, segments } = ground({
        draft: "Both went out [c1][c2].",
        activity: [call(1), call(2, ending)],
      });
      expect(segments.some(({ verified }) => verified)).toBe(false);
      expect(text).not.toContain("✓ c");
    }
  });

  test("OA-6: is not marked where it names another address or counts more", () => {
    expect(
      ground({ draft: "I sent it to ben@acme.io [c1].", activity: [call(1, { target: "anna@acme.io" })] })
        .text,
    ).not.toContain("✓");
    expect(ground({ draft: "I sent four mails [c1].", activity: [call(1)] }).text).not.toContain("✓");
    expect(ground({ draft: "I sent four mails [c1].", activity: [call(1, { count: 4 })] }).text).toContain(
      "[✓ c1]",
    );
  });

  test("OA-6: that cites a call which does not exist is an error", () => {
    expect(kinds("Hello [c3].", [call(1)])).toContain("made-up-citation");
    expect(ground({ draft: "Hello [c3].", activity: [call(1)] }).text).toBe("Hello.");
  });

  test("OA-6: cannot be marked by the model itself", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.constantFrom("✓", "[✓ c1]", "［✔ c1］", "[c1]", "[c2]", "Sent. ", "\n", "◈ "),
            fc.string({ unit: "grapheme" }),
          ),
          { maxLength: 12 },
        ),
        fc.constantFrom(...CALL_STATUSES.filter((each) => each !== "succeeded")),
        (parts, status) => {
          const activity = [call(1, { status }), call(2, { status })];
          const reply = ground({ draft: parts.join(""), activity, locale: "en" });
          expect(reply.segments.filter(({ by, text }) => by === "model" && hasReserved(text))).toEqual([]);
          expect(reply.text).not.toContain("✓");
          expect(reply.text.startsWith(reply.prefix.join("\n"))).toBe(true);
        },
      ),
    );
  });
});

describe("what a reply says beyond the receipts", () => {
  test.each<[string, string, ActivityItem[], string, string]>([
    ["no-call", "Done!", [], "Send it.", "a deed without a call"],
    ["not-succeeded", "Done!", [call(1, { status: "failed" })], "Send it.", "a deed whose call failed"],
    [
      "other-deed",
      "You're unsubscribed.",
      [call(1, { toolId: "email.message.archive" })],
      "Unsubscribe me.",
      "another deed",
    ],
    ["count", "I sent three mails.", [call(1), call(2)], "Mail them.", "more than succeeded"],
    [
      "target",
      "I emailed ben@acme.io.",
      [call(1, { target: "eve@evil.io" })],
      "Mail Ben.",
      "another address",
    ],
    [
      "target",
      "Closed #43.",
      [call(1, { toolId: "github.issue.close", target: "#41" })],
      "Close it.",
      "another id",
    ],
    [
      "target",
      "I saved it to b.md.",
      [call(1, { toolId: "files.file.write", target: "docs/a.md" })],
      "Save it.",
      "another file",
    ],
    [
      "amount",
      "I transferred €1,800.",
      [call(1, { toolId: "bank.transfer.create", target: "rent 180 EUR" })],
      "Pay.",
      "another amount",
    ],
    [
      "approval",
      "As you approved, I posted it.",
      [call(1, { toolId: "slack.message.post" })],
      "Post it.",
      "an approval nobody gave",
    ],
    ["not-verified", "I sent it and verified that it arrived.", [call(1)], "Send it.", "a check nobody made"],
    ["not-read", "I searched the web and it is Lisbon.", [], "Capital of Portugal?", "a look-up nobody made"],
    ["promise", "I'll remind you tomorrow at 9.", [], "Remind me.", "a promise nothing will keep"],
    ["denial", "I couldn't send it, nothing went out.", [call(1)], "Send it.", "a success denied"],
    [
      "wrong-status",
      "The transfer failed.",
      [call(1, { toolId: "bank.transfer.create", status: "unknown" })],
      "Pay.",
      "unknown told as failed",
    ],
    [
      "unbacked",
      "Kay is looking forward to Tuesday at ten.",
      [],
      "Set up a meeting with Kay.",
      "an idiom that is in no list",
    ],
  ])("OA-6: %s: %s", (kind, draft, activity, ownerWords) => {
    expect(kinds(draft, activity, ownerWords)).toContain(kind);
  });

  test("OA-6: a promise holds once a scheduling tool succeeded", () => {
    expect(
      kinds(
        "I'll remind you tomorrow at 9.",
        [call(1, { toolId: "reminder.item.create" })],
        "Remind me tomorrow at 9.",
      ),
    ).toEqual([]);
    for (const status of CALL_STATUSES.filter((each) => each !== "succeeded"))
      expect(
        kinds(
          "I'll remind you tomorrow at 9.",
          [call(1, { toolId: "reminder.item.create", status })],
          "Remind me.",
        ),
      ).not.toEqual([]);
  });

  test("the repair note shows the activity and the sentences", () => {
    const activity = [call(1, { status: "failed" })];
    const note = repairInstruction(
      ground({ draft: "All sent! Bye.", activity, ownerWords: "Send it." }).problems,
      activity,
    );
    expect(note).toContain("[c1] email.message.send: failed");
    expect(note).toContain('"All sent!"');
  });

  test("OA-6: the fixed wording holds nothing of the draft and says what is known, in six languages", () => {
    for (const locale of LOCALES) {
      const reply = fallback({
        draft: "I paid Kim!",
        activity: [call(1), call(2, { status: "pending" })],
        locale,
      });
      expect(reply.text).not.toContain("Kim");
      expect(reply.text.split("\n")).toHaveLength(3);
      expect(fallbackText([], locale).split("\n")).toHaveLength(2);
    }
  });
});

describe("long and hostile drafts", () => {
  test.each([
    ["letters", "a".repeat(200_000)],
    ["spaces", " ".repeat(200_000)],
    ["brackets", "[c1".repeat(60_000)],
    ["quotes", '"'.repeat(200_000)],
    ["ands", "I sent and ".repeat(18_000)],
    ["digits", "1,".repeat(100_000)],
    ["ticks", "✓".repeat(200_000)],
    ["marks", `✓${"\u0301".repeat(200_000)}`],
    ["lines", "Done.\n".repeat(33_000)],
    ["han", "已经发送了，".repeat(33_000)],
    ["kana", "送信しました、".repeat(28_000)],
    ["address", "a@".repeat(100_000)],
    ["german", "ich habe das geschickt und ".repeat(7_500)],
    ["apostrophes", "j'ai l'".repeat(28_000)],
  ])("200 KB of %s are read in bounded time", (_, draft) => {
    const started = performance.now();
    ground({
      draft,
      activity: [call(1, { target: "anna@acme.io" }), call(2, { status: "failed", target: "x" })],
      ownerWords: "Send it.",
    });
    expect(performance.now() - started).toBeLessThan(4_000);
  });
});
