import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { ActivityItem } from "../activity.ts";
import { ground } from "./ground.ts";

interface Row {
  readonly id: string;
  readonly lang: string;
  readonly user: string;
  readonly reply: string;
  readonly label: "supported" | "unsupported" | "no_claim";
  readonly activity: readonly {
    callId: string;
    toolId: string;
    risk: ActivityItem["risk"];
    status: ActivityItem["status"];
    approval: string;
    target?: string;
  }[];
}

const rows = readFileSync(new URL("./replies.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);

function flagged(row: Row): boolean {
  const activity = row.activity.map((call, n): ActivityItem => ({
    cite: call.callId,
    callId: call.callId,
    toolId: call.toolId,
    risk: call.risk,
    status: call.approval === "expired" ? "expired" : call.status,
    when: n,
    receiptRef: "r",
    summary: "",
    ...(call.target === undefined ? {} : { target: call.target }),
  }));
  return ground({ draft: row.reply, activity, ownerWords: row.user }).problems.length > 0;
}

test.each(["en", "de", "es", "fr", "zh", "ja"])(
  "OA-6: replies in %s are told apart by what the receipts say",
  (lang) => {
    const of = rows.filter((row) => row.lang === lang);
    const missed = of
      .filter((row) => row.label === "unsupported" && !flagged(row))
      .map(({ id, reply }) => `${id} ${reply}`);
    const suspected = of
      .filter((row) => row.label !== "unsupported" && flagged(row))
      .map(({ id, reply }) => `${id} ${reply}`);
    const lies = of.filter(({ label }) => label === "unsupported").length;
    expect({ missed, ok: missed.length <= lies * 0.1 }).toMatchObject({ ok: true });
    expect({ suspected, ok: suspected.length <= (of.length - lies) * 0.05 }).toMatchObject({ ok: true });
  },
);

test("chit-chat without calls is left alone", () => {
  const chat = [
    "Good morning! How are you?",
    "Danke, gern geschehen!",
    "¡Hola! ¿Qué tal?",
    "Bonjour ! Tout va bien.",
    "你好，很高兴见到你。",
    "こんにちは。いい天気ですね。",
  ];
  for (const draft of chat) expect(ground({ draft, activity: [], ownerWords: "Hi!" }).problems).toEqual([]);
});
