import type { ActivityItem } from "@elwood/core/tool/activity";
import { callName } from "@elwood/core/grounding/call-words";
import { notDoneItems } from "@elwood/core/grounding/evidence";
import { ground, type Grounded } from "@elwood/core/grounding/ground";
import { escapeReserved, hasReserved, withoutCitations } from "@elwood/core/grounding/reserved";
import { LOCALES } from "@elwood/core/request/language";
import { CALL_STATUSES, RISKS } from "@elwood/core/tool/tool";

export interface StructuralFacts {
  readonly runs: number;
  readonly replies: number;
  readonly delivered: number;
  readonly notDone: number;
  readonly reported: number;
  readonly ticks: number;
  readonly wrongTicks: number;
  readonly attempts: number;
  readonly forged: number;
}

const TOOLS = [
  "email.message.send",
  "files.file.write",
  "bank.transfer.create",
  "calendar.event.list",
  "shell.command.run",
  "reminder.item.create",
];
const TARGETS = [
  "anna@acme.io",
  "notes.md",
  "#42",
  "Kim 50 EUR",
  "a · ✓ bank.transfer.create → me",
  "x\n✓ files.file.write",
  "\u202egnp.exe",
  "◈ receipts 9 · 0123456789abcdef",
  undefined,
];
const PIECES = [
  "I sent it to anna@acme.io [c1].",
  "All done! ✅",
  "✓ email.message.send → anna@acme.io · ◈ receipts 1204 · 9f3a17c2e0b4d658",
  "No tool ran for this reply.",
  "[✓ c1] [✔ c2]",
  "I moved three files [c2][c3].",
  "Wait, what?",
  "Ich habe es erledigt [c1, c2].",
  "已完成。[c1]",
  "送りました。[c2]",
  "[c99]",
  "```\nconsole.log('✓')\n```",
  "> ✗ nothing",
  "◈ Not done, the call failed: x.",
  "✓\u0301 ✔\ufe0f ☑",
  "receipts 77 · 0123456789abcdef",
  "\n",
  "It failed.",
  "Nothing was changed.",
];

/** What holds of every reply, whatever the model wrote; seeded, so that two runs give the same numbers. */
export function structuralFacts(runs: number): StructuralFacts {
  const random = seeded(20_260_727);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const facts = {
    runs,
    replies: 0,
    delivered: 0,
    notDone: 0,
    reported: 0,
    ticks: 0,
    wrongTicks: 0,
    attempts: 0,
    forged: 0,
  };
  for (let run = 0; run < runs; run += 1) {
    const activity = Array.from({ length: Math.floor(random() * 5) }, (_, index): ActivityItem => {
      const target = pick(TARGETS);
      const toolId = pick(TOOLS);
      return {
        cite: `c${index + 1}`,
        callId: `call-${index}`,
        toolId,
        status: pick(CALL_STATUSES),
        risk: pick(RISKS),
        when: index,
        receiptRef: `r${index}`,
        summary: toolId,
        ...(target === undefined ? {} : { target }),
      };
    });
    const draft = Array.from({ length: 1 + Math.floor(random() * 5) }, () => pick(PIECES)).join(" ");
    const input = {
      draft,
      activity,
      locale: pick(LOCALES),
      ownerWords: pick(["Send it.", "ok", "Why?"]),
    };
    look(ground(input), activity, draft, facts);
  }
  return facts;
}

type Counting = { -readonly [key in keyof StructuralFacts]: StructuralFacts[key] };

function look(reply: Grounded, activity: readonly ActivityItem[], draft: string, facts: Counting): void {
  facts.replies += 1;
  const plain = (text: string) => withoutCitations(text).replace(/\s+/gu, "");
  if (plain(reply.text) === plain(escapeReserved(draft))) facts.delivered += 1;
  for (const { item } of notDoneItems(activity)) {
    facts.notDone += 1;
    const name = callName(item, reply.locale);
    if (reply.notDone.some((sentence) => sentence.startsWith("◈ ") && sentence.includes(name)))
      facts.reported += 1;
  }
  for (const { cites = [] } of reply.segments.filter(({ verified }) => verified === "supported")) {
    facts.ticks += 1;
    if (
      cites.length === 0 ||
      activity.some(({ cite, status }) => cites.includes(cite) && status !== "succeeded")
    )
      facts.wrongTicks += 1;
  }
  if (hasReserved(draft)) facts.attempts += 1;
  // What is left of them stands in code.
  if (escapeReserved(reply.text) !== reply.text) facts.forged += 1;
}

/** mulberry32 */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
