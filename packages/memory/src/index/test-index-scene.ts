import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { MemoryQuery } from "@elwood/core/memory/turn";
import type { Block, Origin, Role } from "@elwood/core/message/message";
import { makeRedactor } from "@elwood/core/base/redact";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import { MemoryIndex, type MemoryIndexOptions } from "../memory-index.ts";

export const START = Date.UTC(2026, 10, 15, 9);

/** Time stands still, and whoever sleeps does so until told to stop. */
const STANDING: Clock = {
  now: () => START,
  sleep: (_ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) resolve();
      signal?.addEventListener("abort", () => resolve(), { once: true });
    }),
};

/** A state directory with an index over it, and what it complained of. */
export function indexScene(options: Partial<MemoryIndexOptions> & { home?: string } = {}) {
  const home = options.home ?? mkdtempSync(join(tmpdir(), "elwood-index-"));
  const complaints: string[] = [];
  const quiet = () => undefined;
  const complain = (message: string) => void complaints.push(message);
  const log: Log = { error: complain, warn: complain, info: quiet, debug: quiet };
  const trash = new Set<string>();
  const path = join(home, "memory.db");
  const open = (more: Partial<MemoryIndexOptions> = {}) => {
    const index = new MemoryIndex({
      home,
      path,
      tenant: "default",
      clock: STANDING,
      log,
      redact: makeRedactor([]),
      trashed: async () => new Set(trash),
      ...options,
      ...more,
    });
    onTestFinished(() => index.close());
    return index;
  };
  if (options.home === undefined) onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return { home, path, trash, complaints, open, ...filesOf(home) };
}

/** Files as the gateway and the owner would write them. */
export function filesOf(home: string) {
  const transcript = (session: string) => join(home, "sessions/default", `${session}.jsonl`);
  const note = (key: string) => join(home, "memory/default", `${key}.md`);
  return {
    transcript,
    note,
    say: (session: string, ...texts: string[]): void => {
      mkdirSync(dirname(transcript(session)), { recursive: true });
      texts.forEach((text, i) => appendFileSync(transcript(session), line(text, i % 2 === 0 ? {} : ANSWER)));
    },
    write: (key: string, text: string): void => {
      mkdirSync(dirname(note(key)), { recursive: true });
      writeFileSync(note(key), text);
    },
  };
}

export const ANSWER = { role: "assistant", origin: "model" } as const;
let count = 0;

export function line(
  text: string,
  more: { role?: Role; origin?: Origin; blocks?: Block[]; ts?: number; run?: string } = {},
): string {
  count += 1;
  return `${JSON.stringify({
    v: 1,
    id: `msg_${count}`,
    run: "run_1",
    i: 0,
    n: 1,
    ts: START - 1_000_000 + count,
    role: "user",
    origin: "owner",
    blocks: [{ type: "text", text }],
    ...more,
  })}\n`;
}

export function query(text: string, more: Partial<MemoryQuery> = {}): MemoryQuery {
  return { text, limit: 5, now: START, ...more };
}

/** What a search found, best first, without the neighbours that come along. */
export async function found(index: MemoryIndex, text: string): Promise<string[]> {
  const words = text.toLowerCase().split(" ");
  const texts = (await index.search(query(text))).map(({ turn }) => turn.text);
  return texts.filter((each) => words.some((word) => each.toLowerCase().includes(word)));
}
