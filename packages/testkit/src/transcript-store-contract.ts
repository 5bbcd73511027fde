import type { TranscriptLine } from "@elwood/core/message/message";
import type { TranscriptStore } from "@elwood/runtime/ports/ports";
import { describe, expect, test } from "vitest";
import { FixedIds, fixedId } from "./fixed-ids.ts";
import { failsWith, TENANT } from "./store-script.ts";

export interface TranscriptHarness {
  readonly store: TranscriptStore;
  /** The bytes of a session's file; empty where there is none. */
  readonly read: (tenant: string, sessionId: string) => Promise<Buffer>;
  /** Puts any bytes in its place. */
  readonly write: (tenant: string, sessionId: string, bytes: Uint8Array) => Promise<void>;
  readonly reopen: () => Promise<TranscriptStore>;
  readonly dispose: () => Promise<void>;
}

const SESSION = fixedId("session", 1);

/** Lines of one run, each with a text. */
export function transcriptLines(runId: string, ...texts: string[]): TranscriptLine[] {
  const ids = new FixedIds();
  return texts.map((text, i) => ({
    v: 1,
    id: ids.next("message"),
    run: runId,
    i,
    n: texts.length,
    ts: 1_000 + i,
    role: i % 2 === 0 ? "user" : "assistant",
    origin: i % 2 === 0 ? "owner" : "model",
    blocks: [{ type: "text", text }],
  }));
}

/** What every TranscriptStore does. Run by each implementation. */
export function transcriptStoreContract(name: string, open: () => Promise<TranscriptHarness>): void {
  describe(`TranscriptStore: ${name}`, () => {
    const using = (body: (harness: TranscriptHarness) => Promise<void>) => async () => {
      const harness = await open();
      try {
        await body(harness);
      } finally {
        await harness.dispose();
      }
    };
    const one = transcriptLines("run_1", "hello", "Hello.");
    const two = transcriptLines("run_2", 'and 👩‍💻\n"quotes"\u2028 東京 \0', "half a pair \ud83d");

    test(
      "EL-4: what was appended is loaded in order, also after a restart",
      using(async ({ store, reopen }) => {
        await store.append(TENANT, SESSION, one);
        await store.append(TENANT, SESSION, two);
        const again = await reopen();
        expect(await again.load(TENANT, SESSION)).toEqual({ lines: [...one, ...two], damage: [] });
      }),
    );

    test(
      "EL-4: the file is JSONL, one message a line, and only grows by an append",
      using(async ({ store, read }) => {
        await store.append(TENANT, SESSION, one);
        const before = await read(TENANT, SESSION);
        await store.append(TENANT, SESSION, two);
        const after = await read(TENANT, SESSION);
        expect(after.subarray(0, before.length).equals(before)).toBe(true);
        const texts = after.toString().split("\n");
        expect(texts.pop()).toBe("");
        expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual([...one, ...two]);
        expect(await store.size(TENANT, SESSION)).toBe(after.length);
      }),
    );

    test(
      "a session without a file is empty, and appending nothing makes none",
      using(async ({ store, read }) => {
        await store.append(TENANT, SESSION, []);
        expect(await store.load(TENANT, SESSION)).toEqual({ lines: [], damage: [] });
        expect(await store.size(TENANT, SESSION)).toBe(0);
        await store.truncate(TENANT, SESSION, 0);
        await store.remove(TENANT, SESSION);
        expect(await read(TENANT, SESSION)).toHaveLength(0);
      }),
    );

    test(
      "appends that are asked for at once all happen, in the order asked",
      using(async ({ store }) => {
        const all = Array.from({ length: 20 }, (_, i) => transcriptLines(`run_${i}`, "a", "b"));
        await Promise.all(all.map((lines) => store.append(TENANT, SESSION, lines)));
        expect(await store.load(TENANT, SESSION)).toEqual({ lines: all.flat(), damage: [] });
      }),
    );

    test(
      "EL-4: save replaces the whole file",
      using(async ({ store, reopen }) => {
        await store.append(TENANT, SESSION, one);
        await store.save(TENANT, SESSION, two);
        const again = await reopen();
        expect(await again.load(TENANT, SESSION)).toEqual({ lines: two, damage: [] });
        await again.save(TENANT, SESSION, []);
        expect(await again.load(TENANT, SESSION)).toEqual({ lines: [], damage: [] });
        expect(await again.size(TENANT, SESSION)).toBe(0);
      }),
    );

    test(
      "a truncated file is as long as asked, and never made longer",
      using(async ({ store, read }) => {
        await store.append(TENANT, SESSION, one);
        const size = await store.size(TENANT, SESSION);
        await store.append(TENANT, SESSION, two);
        await store.truncate(TENANT, SESSION, size);
        expect(await store.load(TENANT, SESSION)).toEqual({ lines: one, damage: [] });
        await store.truncate(TENANT, SESSION, size + 1_000);
        expect(await read(TENANT, SESSION)).toHaveLength(size);
        for (const bad of [-1, 1.5, Number.NaN]) {
          await expect(store.truncate(TENANT, SESSION, bad)).rejects.toMatchObject(
            failsWith("INVALID_INPUT"),
          );
        }
      }),
    );

    test(
      "a removed file is gone",
      using(async ({ store }) => {
        await store.append(TENANT, SESSION, one);
        await store.remove(TENANT, SESSION);
        expect(await store.load(TENANT, SESSION)).toEqual({ lines: [], damage: [] });
      }),
    );

    test(
      "sessions and tenants do not see each other's lines",
      using(async ({ store }) => {
        await store.append(TENANT, SESSION, one);
        await store.append(TENANT, fixedId("session", 2), two);
        await store.append("other", SESSION, two);
        await store.remove("other", SESSION);
        expect((await store.load(TENANT, SESSION)).lines).toEqual(one);
        expect((await store.load(TENANT, fixedId("session", 2))).lines).toEqual(two);
        expect((await store.load("other", SESSION)).lines).toEqual([]);
      }),
    );

    test(
      "an id that could be a path reaches no file",
      using(async ({ store }) => {
        const refused = failsWith("INVALID_INPUT");
        for (const id of [
          "",
          "..",
          "../x",
          `../other/${SESSION}`,
          `${SESSION}/..`,
          `${SESSION}\n`,
          "ses_1",
          "/etc/x",
        ]) {
          await expect(store.load(TENANT, id)).rejects.toMatchObject(refused);
          await expect(store.append(TENANT, id, one)).rejects.toMatchObject(refused);
          await expect(store.save(TENANT, id, one)).rejects.toMatchObject(refused);
          await expect(store.size(TENANT, id)).rejects.toMatchObject(refused);
          await expect(store.truncate(TENANT, id, 0)).rejects.toMatchObject(refused);
          await expect(store.remove(TENANT, id)).rejects.toMatchObject(refused);
        }
      }),
    );

    test(
      "EL-4: a torn tail is reported, skipped, and left where it is; the next append starts on a line of its own",
      using(async ({ store, read, write }) => {
        await store.append(TENANT, SESSION, one);
        const whole = await read(TENANT, SESSION);
        const torn = Buffer.concat([whole, Buffer.from('{"v":1,"id":"msg_')]);
        await write(TENANT, SESSION, torn);
        const damage = [{ line: 3, offset: whole.length, bytes: 17, what: "torn" }];
        expect(await store.load(TENANT, SESSION)).toEqual({ lines: one, damage });
        await store.append(TENANT, SESSION, two);
        expect(await store.load(TENANT, SESSION)).toEqual({
          lines: [...one, ...two],
          damage: [{ ...damage[0], what: "not-json" }],
        });
        expect((await read(TENANT, SESSION)).subarray(0, torn.length).equals(torn)).toBe(true);
      }),
    );

    test(
      "a last line that lacks only its newline is whole, and stays so when more is appended",
      using(async ({ store, read, write }) => {
        await store.append(TENANT, SESSION, one);
        await write(TENANT, SESSION, (await read(TENANT, SESSION)).subarray(0, -1));
        expect(await store.load(TENANT, SESSION)).toEqual({ lines: one, damage: [] });
        await store.append(TENANT, SESSION, two);
        expect(await store.load(TENANT, SESSION)).toEqual({ lines: [...one, ...two], damage: [] });
      }),
    );

    test(
      "EL-4: garbage between good lines costs only itself",
      using(async ({ store, read, write }) => {
        await store.append(TENANT, SESSION, one);
        const [first, second] = (await read(TENANT, SESSION)).toString().split("\n");
        const bad = [
          Buffer.from([0xff, 0xfe, 0x00, 0x80, 0xc3, 0x28]),
          Buffer.from("not json"),
          Buffer.from('{"v":2}'),
          Buffer.from("null"),
          Buffer.from(second!.replace('"assistant"', '"king"')),
          Buffer.concat([Buffer.from('{"v":1,"text":"'), Buffer.from([0xc3]), Buffer.from('"}')]),
        ];
        const newline = Buffer.from("\n");
        const parts = [Buffer.from(first!), ...bad, Buffer.from(" \r"), Buffer.from(second!)];
        await write(TENANT, SESSION, Buffer.concat(parts.flatMap((part) => [part, newline])));
        const { lines, damage } = await store.load(TENANT, SESSION);
        expect(lines).toEqual(one);
        const whats = ["not-json", "not-json", "not-a-message", "not-a-message", "not-a-message", "not-json"];
        let offset = Buffer.byteLength(first!) + 1;
        const expected = bad.map((bytes, i) => {
          const entry = { line: i + 2, offset, bytes: bytes.length, what: whats[i] };
          offset += bytes.length + 1;
          return entry;
        });
        expect(damage).toEqual(expected);
      }),
    );

    test(
      "EL-4: a file of nothing but garbage, zeros or newlines loads as empty",
      using(async ({ store, write }) => {
        const garbage = Uint8Array.from({ length: 5_000 }, (_, i) => (i * 7919) % 251 || 1).filter(
          (b) => b !== 0x0a,
        );
        for (const bytes of [garbage, new Uint8Array(4_096)]) {
          await write(TENANT, SESSION, bytes);
          expect(await store.load(TENANT, SESSION)).toEqual({
            lines: [],
            damage: [{ line: 1, offset: 0, bytes: bytes.length, what: "torn" }],
          });
        }
        await write(TENANT, SESSION, Buffer.from("\n\n\n"));
        expect(await store.load(TENANT, SESSION)).toEqual({ lines: [], damage: [] });
        await write(TENANT, SESSION, new Uint8Array(0));
        expect(await store.load(TENANT, SESSION)).toEqual({ lines: [], damage: [] });
      }),
    );

    test(
      "EL-4: cut at any byte, a file gives back every line before the cut",
      using(async ({ store, read, write }) => {
        await store.append(TENANT, SESSION, transcriptLines("run_1", "a", "é", "👍"));
        const whole = await read(TENANT, SESSION);
        const { lines } = await store.load(TENANT, SESSION);
        const ends = [...whole.entries()].filter(([, byte]) => byte === 0x0a).map(([at]) => at);
        for (let size = 0; size <= whole.length; size++) {
          await write(TENANT, SESSION, whole.subarray(0, size));
          const cut = await store.load(TENANT, SESSION);
          const kept = ends.filter((end) => end <= size).length;
          expect(cut.lines).toEqual(lines.slice(0, kept));
          const atBoundary = size === 0 || ends.includes(size) || ends.includes(size - 1);
          expect(cut.damage.map((d) => d.what)).toEqual(atBoundary ? [] : ["torn"]);
        }
      }),
    );
  });
}
