import { expect, test } from "vitest";
import { Progress } from "./progress.ts";
import { testIo, type TestIoOptions } from "./test-io.ts";

function scene(options: TestIoOptions = { tty: true }) {
  const io = testIo(options);
  let now = 0;
  const progress = new Progress(io, "Thinking", { now: () => now });
  const after = (ms: number) => {
    now += ms;
    progress.tick();
  };
  return { io, progress, after };
}

test("after a second of silence a terminal is told what goes on, and for how long", () => {
  const { io, progress, after } = scene();
  after(900);
  expect(io.err()).toBe("");
  after(200);
  expect(io.err()).toBe("\rThinking… 1 s\u001b[K");
  after(100);
  progress.say("Listing a folder");
  after(63_000);
  expect(io.err()).toBe("\rThinking… 1 s\u001b[K\rListing a folder… 1 min 3 s\u001b[K");
});

test("what is printed takes it away first, and begins the silence again", () => {
  const { io, progress, after } = scene();
  after(1_000);
  progress.io.stdout.write("Hello.\n");
  expect(io.err()).toBe("\rThinking… 1 s\u001b[K\r\u001b[K");
  after(900);
  expect(io.err()).toBe("\rThinking… 1 s\u001b[K\r\u001b[K");
  after(100);
  expect(io.err()).toContain("Thinking… 2 s");
  expect(io.out()).toBe("Hello.\n");
});

test("half a line, a question and a pause stay as they are", () => {
  const half = scene();
  half.progress.io.stdout.write("Once upon a");
  half.after(5_000);
  expect(half.io.err()).toBe("");
  const question = scene();
  question.progress.io.stderr.write("Allow? ");
  question.after(5_000);
  expect(question.io.err()).toBe("Allow? ");
  const paused = scene();
  paused.after(1_000);
  paused.progress.pause(true);
  paused.after(5_000);
  expect(paused.io.err()).toBe("\rThinking… 1 s\u001b[K\r\u001b[K");
  paused.progress.pause(false);
  paused.after(1_000);
  expect(paused.io.err()).toContain("Thinking… 1 s\u001b[K\r\u001b[K\rThinking… 1 s");
});

test("in a pipe and on a terminal that cannot there is none", async () => {
  for (const options of [{}, { tty: true, env: { TERM: "dumb" } }]) {
    const { io, progress, after } = scene(options);
    expect(progress.io).toBe(io);
    await progress.during(async () => after(60_000));
    expect(io.err()).toBe("");
  }
});

test("it is cut to the terminal's width, and gone when the work is done", async () => {
  const { io, progress, after } = scene({ tty: true, columns: 20 });
  await progress.during(async () => {
    progress.say("Running a.very.long.name");
    after(1_000);
  });
  expect(io.err()).toBe("\rRunning a.very.lon…\u001b[K\r\u001b[K");
});
