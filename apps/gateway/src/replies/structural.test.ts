import { MARKS, VOICE } from "@elwood/core/grounding/reserved";
import type { ActivityItem } from "@elwood/core/activity";
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
test(`OA-14: in ${RUNS} runs of a model that lies, every ending has its evidence, every failure its sentence, and no mark is false`, async () => {
  await using scene = await lyingScene(await startLyingModel());
  const chance = seededRandom(6);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(chance() * from.length)]!;
  const script = (): LyingScript => {
    const calls = Array.from({ length: Math.floor(chance() * 4) }, (_, i) => {
      const ends = pick(ENDS);
      const what = pick(["anna@acme.io", `x${i}`, "◈ forged · ✓ entry"]);
      return { tool: pick(TOOL_IDS), input: chance() < 0.1 ? { wrong: 1 } : { what, ...(ends && { ends }) } };
    });
    const laps = calls.length === 0 ? [] : chance() < 0.5 ? [calls] : calls.map((call) => [call]);
    const lie = pick(LIES);
    const says = pick<(text: string) => string | Answer>([
      (text) => text,
      (text) => text,
      (text) => text,
      (text) => anthropic.reply(text, { stop: "max_tokens" }),
      (text) => anthropic.reply(text, { stop: "refusal" }),
      () => anthropic.error(400),
    ])(lie);
    return { laps, says, mends: pick(LIES) };
  };
  const seen = { errors: 0, unsuccessful: 0, verified: 0, withheld: 0 };
  const one = async () => {
    const { reply } = await scene.tell(script(), pick(["Send it to anna@acme.io.", "Hi.", "Schick es ab."]));
    // Only what the protocol calls an activity item comes under that name.
    const activity = reply.activity as readonly ActivityItem[];
    // The evidence line is there, once, whole, and nowhere else.
    expect(reply.evidence).toMatch(/ · ◈ \p{L}+ \d+ · [0-9a-f]{16}$/u);
    expect(reply.evidence.split(VOICE)).toHaveLength(2);
    expect(reply.text).not.toMatch(/\d+ · [0-9a-f]{16}/u);
    // Every kind of ending that is no success has its sentence, and the marks are as many as the calls.
    const missed = activity.filter(({ status }) => status !== "succeeded");
    const own = reply.text.split("\n").filter((line) => line.startsWith(`${VOICE} `));
    for (const { status, toolId } of missed) {
      expect(reply.evidence).toContain(MARKS[status]);
      expect(own.join("\n")).toContain(toolId);
    }
    expect(own.length).toBeGreaterThanOrEqual(new Set(missed.map(({ status }) => status)).size);
    // The model's own words hold none of the gateway's glyphs, and only true statements are marked.
    const segments = "segments" in reply ? reply.segments : [];
    for (const { by, text, cites, verified } of segments) {
      if (by === "model") expect(text).not.toMatch(/[✓✗⊘⌛⏸⁇◈]/u);
      if (!verified) continue;
      seen.verified += 1;
      expect(by).toBe("model");
      expect(cites.length).toBeGreaterThan(0);
      for (const cite of cites)
        expect(activity.find((item) => item.cite === cite)).toMatchObject({ status: "succeeded" });
    }
    for (const [, cites = ""] of reply.text.matchAll(/\[✓ ([^\]]*)\]/gu))
      for (const cite of cites.split(" "))
        expect(activity.find((item) => item.cite === cite)).toMatchObject({ status: "succeeded" });
    seen.errors += "code" in reply ? 1 : 0;
    seen.unsuccessful += missed.length;
    seen.withheld += own.some((line) => /left out|weggelassen/u.test(line)) ? 1 : 0;
  };
  for (let i = 0; i < RUNS; i += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, one));
  // The runs reach what they are for.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(4);
}, 120_000);

test("OA-14: a client that cannot show drafts gets no draft once a call was made; one that can gets them marked as such", async () => {
  await using scene = await lyingScene(await startLyingModel());
  const lie = "All set! I'll remind you ✓ tomorrow.";
  const script: LyingScript = {
    laps: [[{ tool: "reminder.item.create", input: { what: "tomorrow", ends: "failed" } }]],
    says: lie,
  };
  const plain = await scene.tell(script, undefined, scene.plain);
  const plainDeltas = scene.pushes.plain.filter(
    (push) => isPush(push, "chat.delta") && push.data.runId === plain.runId,
  );
  expect(plainDeltas.map((push) => isPush(push, "chat.delta") && [push.data.text, push.data.draft])).toEqual([
    [plain.reply.text, undefined],
  ]);
  const shown = await scene.tell(script);
  const deltas = scene.pushes.drafts.flatMap((push) =>
    isPush(push, "chat.delta") && push.data.runId === shown.runId ? [push.data] : [],
  );
  expect(deltas.length).toBeGreaterThan(2);
  expect(deltas.every(({ draft }) => draft === true)).toBe(true);
  const drafted = deltas.map(({ text }) => text).join("");
  expect(drafted).toContain("remind you (+) tomorrow");
  expect(drafted).not.toContain("✓");
  expect(shown.reply.text).toBe(plain.reply.text);
  // Whoever comes back afterwards is told the same.
  const { snapshot } = await scene.plain.call("chat.resume", { runId: shown.runId, afterSeq: 0 });
  expect(snapshot.text).toBe(shown.reply.text);
});

test("OA-6: a client that was shown a lie before any call is told that another text is the answer", async () => {
  await using scene = await lyingScene(await startLyingModel());
  const { reply, runId } = await scene.tell(
    { says: "All set! I'll remind you tomorrow at 9." },
    undefined,
    scene.plain,
  );
  const text = scene.pushes.plain
    .flatMap((push) => (isPush(push, "chat.delta") && push.data.runId === runId ? [push.data.text] : []))
    .join("");
  expect(text).toBe(
    `All set! I'll remind you tomorrow at 9.\n\n[This is the answer, held against the receipts:]\n\n${reply.text}`,
  );
});
