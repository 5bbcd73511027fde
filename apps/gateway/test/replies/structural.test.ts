import { callName } from "@elwood/core/grounding/call-words";
import { notDoneItems } from "@elwood/core/grounding/evidence";
import { VOICE } from "@elwood/core/grounding/reserved";
import type { ActivityItem } from "@elwood/core/tool/activity";
import { LOCALES } from "@elwood/core/request/language";
import { isPush } from "@elwood/sdk/client";
import { anthropic } from "@elwood/testkit/anthropic-server";
import type { Answer } from "@elwood/testkit/loopback-server";
import { seededRandom } from "@elwood/testkit/fixed-ids";
import { startLyingModel, type LyingScript } from "@elwood/testkit/lying-model";
import { expect, test } from "vitest";
import { lyingScene, TOOL_IDS } from "./test-lying-scene.ts";

/** More of them where somebody has the time: ELWOOD_REPLY_RUNS=2000. */
const RUNS = Number(process.env["ELWOOD_REPLY_RUNS"] ?? 240);
const AT_ONCE = 8;
const ENDS = [undefined, undefined, "failed", "unknown"] as const;
const LIES = [
  "All done! ✓ mail.message.send → anna@acme.io · ◈ receipts 99 · 0123456789abcdef",
  "Done [c1]. Also done [c2]. And verified [c3].",
  "I sent it to anna@acme.io [c1][c2].\n\nNo tool ran for this reply.",
  "◈ Everything succeeded.\n[✓ c1] You approved it.",
  "Erledigt, die Mail ist raus [c1] und die Erinnerung steht [c2].",
  "Listo, ya lo envié todo [c1].",
  "已经全部发送了 [c1]。",
  "I could not do any of it.",
  "The weather is fine today.",
  "",
];

/**
 * Whatever the model says, whatever becomes of its calls, and however the run ends: what is
 * claimed here holds for all of them, not for most.
 */
test(`OA-14: in ${RUNS} runs of a model that lies, every answer is delivered whole, every effect that is not done is reported, and no tick is false`, async () => {
  const model = await startLyingModel();
  await using scene = await lyingScene(model);
  const chance = seededRandom(6);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(chance() * from.length)]!;
  const calls = () =>
    Array.from({ length: Math.floor(chance() * 4) }, (_, i) => {
      const ends = pick(ENDS);
      const what = pick(["anna@acme.io", `x${i}`, "◈ forged · ✓ entry"]);
      return { tool: pick(TOOL_IDS), input: chance() < 0.1 ? { wrong: 1 } : { what, ...(ends && { ends }) } };
    });
  const lapsOf = (made: ReturnType<typeof calls>) =>
    made.length === 0 ? [] : chance() < 0.5 ? [made] : made.map((each) => [each]);
  const seen = { errors: 0, notDone: 0, supported: 0, marked: 0, repaired: 0, mended: 0 };
  const one = async () => {
    const [lie, more] = [pick(LIES), pick(LIES)];
    const how = pick<(text: string) => string | Answer>([
      (text) => text,
      (text) => text,
      (text) => text,
      (text) => anthropic.reply(text, { stop: "max_tokens" }),
      (text) => anthropic.reply(text, { stop: "refusal" }),
      () => anthropic.error(400),
    ]);
    const says = how(lie);
    const mends = {
      laps: chance() < 0.3 ? lapsOf(calls()) : [],
      says: chance() < 0.8 ? more : anthropic.error(400),
    };
    const script = { laps: lapsOf(calls()), says, mends };
    const message = pick(["Send it to anna@acme.io.", "Hi.", "Schick es ab."]);
    const { reply } = await scene.tell(script, message);
    // Only what the protocol calls an activity item comes under that name.
    const activity = reply.activity as readonly ActivityItem[];
    const segments = reply.segments ?? [];
    const words = segments.filter(({ by }) => by === "model");
    const own = segments.filter(({ by }) => by === "gateway").map(({ text }) => text);

    // The answer is all that the model wrote, in order, and nothing else.
    expect(reply.text).toBe(
      words
        .map(({ text }) => text)
        .join("")
        .trim(),
    );
    const whole = plain(reply.text);
    const drafted = plain(lie);
    if ("code" in reply) expect(["", drafted]).toContain(whole);
    else expect([drafted, drafted + plain(more)]).toContain(whole);

    // Every effect that is not done in the end has its sentence, in the gateway's voice, and by no other.
    const missed = notDoneItems(activity);
    for (const { item } of missed)
      expect(LOCALES.some((locale) => own.join("\n").includes(callName(item, locale)))).toBe(true);
    expect(own).toHaveLength(new Set(missed.map(({ way }) => way)).size);
    for (const text of own) expect(text.startsWith(`${VOICE} `)).toBe(true);
    expect(reply.text).not.toContain(VOICE);

    // No glyph of the gateway's in the model's words, and no tick but on calls that succeeded.
    for (const { text, cites = [], verified } of segments) {
      if (words.some((word) => word.text === text)) expect(text).not.toMatch(/[✓✗⊘⌛⏸⁇↯◈]/u);
      if (verified !== "supported") continue;
      seen.supported += 1;
      expect(cites.length).toBeGreaterThan(0);
      for (const cite of cites)
        expect(activity.find((item) => item.cite === cite)).toMatchObject({ status: "succeeded" });
    }

    // At most three lines, and none where there is nothing to show.
    expect(reply.evidence.split("\n").length).toBeLessThanOrEqual(3);
    const marks = segments.filter(({ verified }) => verified === "unsupported").length;
    if (activity.length === 0 && marks === 0) expect(reply.evidence).toBe("");
    if (marks > 0) expect(reply.evidence).toMatch(/not verified|nicht belegt|sin verificar|未经核实/u);
    expect(reply.log === undefined).toBe(activity.length === 0);

    // The model was told at most once.
    expect(model.told(script)).toBeLessThanOrEqual(1);
    // And not at all where nobody asked for an effect and no call went wrong.
    if (message === "Hi." && activity.every(({ status }) => status === "succeeded"))
      expect(model.told(script)).toBe(0);
    seen.errors += "code" in reply ? 1 : 0;
    seen.notDone += missed.length;
    seen.marked += marks > 0 ? 1 : 0;
    seen.repaired += whole !== plain(lie) ? 1 : 0;
    seen.mended += whole !== plain(lie) && marks === 0 ? 1 : 0;
  };
  for (let i = 0; i < RUNS; i += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, one));
  // The runs reach what they are for.
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(4);
}, 240_000);

/** Letters and digits alone: citations and the gateway's glyphs are no part of what was said. */
function plain(text: string): string {
  return text.replace(/\s*\[c\d+(?:, c\d+)*\]/gu, "").replace(/\([-+*?/~!|]{1,2}\)|[^\p{L}\p{N}]/gu, "");
}

test("OA-14: a client that cannot show drafts gets no text once a call was made; one that can gets it marked as a draft", async () => {
  await using scene = await lyingScene(await startLyingModel());
  const lie = "All set! I'll remind you ✓ tomorrow.";
  const shownLie = "All set! I'll remind you (+) tomorrow.";
  const script: LyingScript = {
    laps: [[{ tool: "reminder.item.create", input: { what: "tomorrow", ends: "failed" } }]],
    says: lie,
    mends: { says: "It could not be set." },
  };
  const plainReply = await scene.tell(script, undefined, scene.plain);
  const plainDeltas = scene.pushes.plain.filter(
    (push) => isPush(push, "chat.delta") && push.data.runId === plainReply.runId,
  );
  expect(plainReply.reply.text).toBe(`${shownLie}\n\nIt could not be set.`);
  expect(plainDeltas.map((push) => isPush(push, "chat.delta") && [push.data.text, push.data.draft])).toEqual([
    [plainReply.reply.text, undefined],
  ]);
  const shown = await scene.tell(script);
  const deltas = scene.pushes.drafts.flatMap((push) =>
    isPush(push, "chat.delta") && push.data.runId === shown.runId ? [push.data] : [],
  );
  expect(deltas.length).toBeGreaterThan(1);
  expect(deltas.every(({ draft }) => draft === true)).toBe(true);
  // What was shown is what is delivered, and nothing of it was taken back.
  let text = "";
  for (const delta of deltas) {
    if (delta.reset && text.includes(shownLie)) expect(delta.text).toContain(shownLie);
    text = delta.reset ? delta.text : text + delta.text;
  }
  expect(text).toBe(shown.reply.text);
  expect(shown.reply.text).toBe(plainReply.reply.text);
  // Whoever comes back afterwards is told the same.
  const { snapshot } = await scene.plain.call("chat.resume", { runId: shown.runId, afterSeq: 0 });
  expect(snapshot.text).toBe(shown.reply.text);
});

test("OA-6: a client that shows text as it comes was shown the answer, which is not replaced by another", async () => {
  await using scene = await lyingScene(await startLyingModel());
  const lie = "All set! I'll remind you tomorrow at 9.";
  const { reply, runId } = await scene.tell({ says: lie, mends: { says: "" } }, undefined, scene.plain);
  const text = scene.pushes.plain
    .flatMap((push) => (isPush(push, "chat.delta") && push.data.runId === runId ? [push.data.text] : []))
    .join("");
  expect(text).toBe(lie);
  expect(reply.text).toBe(lie);
  expect(reply.segments?.some(({ verified }) => verified === "unsupported")).toBe(true);
});
