import { expect, test } from "vitest";
import { readKey } from "./confirm.ts";
import { testIo } from "./test-io.ts";

const ALWAYS = new AbortController().signal;

function terminal() {
  const io = testIo({ tty: true });
  const modes: boolean[] = [];
  const stdin = Object.assign(io.stdin, { setRawMode: (raw: boolean) => modes.push(raw) });
  return { io: { ...io, stdin }, modes };
}

test("a key needs no Enter, what was typed before the question is no answer, and the terminal is put back", async () => {
  const { io, modes } = terminal();
  let now = 0;
  const clock = { now: () => now };
  const key = readKey(io, "[a]llow [d]eny ", ALWAYS, clock);
  expect(io.err()).toBe("[a]llow [d]eny ");
  expect(modes).toEqual([true]);
  io.stdin.emit("data", Buffer.from("d"));
  now = 1_000;
  io.stdin.emit("data", Buffer.from("a"));
  expect(await key).toEqual({ kind: "line", text: "a" });
  expect(io.err()).toBe("[a]llow [d]eny a\n");
  expect(modes).toEqual([true, false]);
});

test("Ctrl-C, Ctrl-D, the end of input and a withdrawal put the terminal back too", async () => {
  const gone = new AbortController();
  const ways = [
    ["interrupted", (io: ReturnType<typeof terminal>["io"]) => io.type("\u0003")],
    ["ended", (io: ReturnType<typeof terminal>["io"]) => io.type("\u0004")],
    ["ended", (io: ReturnType<typeof terminal>["io"]) => io.hangUp()],
    ["withdrawn", () => gone.abort()],
  ] as const;
  for (const [kind, act] of ways) {
    const { io, modes } = terminal();
    const key = readKey(io, "? ", gone.signal);
    act(io);
    expect(await key).toEqual({ kind });
    await expect.poll(() => modes).toEqual([true, false]);
  }
});
