import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { showLogs } from "./logs-command.ts";
import { testGateway } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";

const OPTIONS = { follow: false, json: false };
const line = (n: number, level: "error" | "info" = "info") => ({
  n,
  ts: Date.parse("2026-11-17T10:00:00Z") + n,
  level,
  message: `line ${n}`,
});

test("EL-15: following a log shows each line once as it comes, and says where some came too fast", async () => {
  const waiting = [
    { lines: [line(1), line(2, "error")], last: 2, missed: 0 },
    { lines: [], last: 2, missed: 0 },
    { lines: [line(6, "error")], last: 6, missed: 3 },
  ];
  const { client, calls } = await testGateway({ "gateway.logs": () => waiting.shift()! });
  const stop = new AbortController();
  const clock = {
    sleep: async () => {
      if (waiting.length === 1) stop.abort();
    },
  };
  const io = testIo();
  const deps = { client, file: undefined, clock, signal: stop.signal };
  expect(await showLogs(io, deps, { follow: true, json: false, level: "error" })).toBe(0);
  expect(io.out()).toBe("10:00:00.002 ERROR line 2\n10:00:00.006 ERROR line 6\n");
  expect(io.err()).toBe("3 lines came too fast to be shown here.\n");
  expect(calls.map(({ params }) => (params as { after?: number }).after)).toEqual([undefined, 2, 2]);
});

test("where nothing runs, the file that the last gateway wrote is shown, or where a log could be", async () => {
  const folder = mkdtempSync(join(tmpdir(), "elwood-logs-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "elwood.log");
  const clock = { sleep: async () => undefined };
  const show = (path: string | undefined, more = {}) => {
    const io = testIo();
    return showLogs(io, { client: undefined, file: path, clock }, { ...OPTIONS, ...more }).then(() => io);
  };
  await expect(show(undefined)).rejects.toThrow(/keeps its log only while it runs.*set log\.file/);
  await expect(show(file)).rejects.toThrow(`has not written ${file} yet`);
  writeFileSync(
    file,
    '{"level":"INFO","msg":"a"}\n{"level":"ERROR","msg":"b"}\n{"level":"INFO","msg":"c"}\n',
  );
  expect((await show(file, { lines: 1 })).out()).toBe('{"level":"INFO","msg":"c"}\n');
  expect((await show(file, { level: "warn" })).out()).toBe('{"level":"ERROR","msg":"b"}\n');
  await expect(show(file, { follow: true })).rejects.toThrow("nothing to follow");
  await expect(show(file, { lines: 0 })).rejects.toThrow("--lines must be");
});
