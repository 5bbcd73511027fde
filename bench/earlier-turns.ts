import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { variedMessage } from "./varied-messages.ts";

const TURNS_PER_SESSION = 60;
/** Of other messages than those that are sent, made of the same words: memory knows them all, and must choose. */
const EARLIER_FROM = 20_000_000;
const START = Date.UTC(2016, 0, 1);
const TEN_YEARS_MS = 10 * 365.25 * 86_400_000;

/** Conversations of ten years with so many turns in all, as the gateway leaves them in its state directory. */
export function writeEarlierTurns(home: string, count: number): void {
  const folder = join(home, "sessions/default");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let first = 0; first < count; first += TURNS_PER_SESSION) {
    const turns = Math.min(TURNS_PER_SESSION, count - first);
    const lines = Array.from({ length: turns }, (_, at) => lineOf(first + at, count));
    writeFileSync(join(folder, `ses_${first}.jsonl`), lines.join(""), { mode: 0o600 });
  }
}

function lineOf(turn: number, count: number): string {
  const isOwner = turn % 2 === 0;
  const { text } = variedMessage(EARLIER_FROM + (turn >> 1));
  const said = isOwner ? text : `About ${text.split(" ").slice(-6).join(" ")}: that can be arranged.`;
  const ts = START + Math.floor((TEN_YEARS_MS * turn) / count);
  const whose = isOwner ? { role: "user", origin: "owner" } : { role: "assistant", origin: "model" };
  const place = { v: 1, id: `msg_${turn}`, run: `run_${turn >> 1}`, i: isOwner ? 0 : 1, n: 2, ts };
  return `${JSON.stringify({ ...place, ...whose, blocks: [{ type: "text", text: said }] })}\n`;
}
