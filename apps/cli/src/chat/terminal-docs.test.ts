import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGatewayProcess, temporaryHome } from "@elwood/testkit/gateway-process";
import { expect, onTestFinished, test } from "vitest";
import { openTestChat } from "./test-chat.ts";
import { KEYS } from "./test-terminal.ts";

const PAGE = join(import.meta.dirname, "../../../../docs/terminal.md");

test("the frames in the documentation are what the terminal shows; ELWOOD_RECORD=1 writes them", async () => {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  const folder = mkdtempSync(join(tmpdir(), "elwood-frames-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const gateway = await startGatewayProcess({ home: home.path });
  onTestFinished(async () => void (await gateway.stop()));
  const frames = new Map<string, string>();
  const { terminal, shows } = await openTestChat({
    of: () => gateway,
    columns: 80,
    rows: 20,
    cwd: folder,
    deps: { now: () => 0 },
  });
  const frame = async (name: string) => {
    const rows = (await terminal.screen()).split("\n").map((row) => row.trimEnd());
    frames.set(name, rows.join("\n").replace(/^\n+/, ""));
  };
  await shows("Connect a real one");
  await frame("welcome");
  terminal.enter("run ls");
  await shows(/✓ Ran ls[^]*\n\n─[^]*balanced · run ls/);
  await frame("answer");
  terminal.enter("/clear");
  terminal.enter("run rm old.txt");
  await shows("❯ Allow once");
  await frame("approval");
  for (let i = 0; i < 2; i++) terminal.type(KEYS.down);
  await shows("❯ Deny");
  terminal.type(KEYS.enter);
  await shows(/you said no[^]*\n\n─[^]*run ls +\d+ tokens/);
  terminal.enter("/clear");
  terminal.type(KEYS.shiftTab);
  await shows("Mode: strict.");
  terminal.type(KEYS.shiftTab);
  await shows("❯ Stay with strict");
  await frame("mode");
  terminal.type(KEYS.down);
  terminal.type(KEYS.enter);
  await shows("Mode: balanced.");
  terminal.enter("/clear");
  terminal.enter("/temperature 0.3");
  await shows("temperature 0.3 ·");
  terminal.type(KEYS.f2);
  await shows("❯ Model");
  await frame("settings");
  terminal.type(KEYS.escape);
  terminal.enter("/clear");
  terminal.type(KEYS.ctrlO);
  await shows(/Conversations, newest first[^]*❯ run ls/);
  await frame("sessions");
  terminal.type(KEYS.escape);
  terminal.resize(120, 20);
  terminal.type(KEYS.f6);
  await shows(/Calls and evidence[^]*\n.*│ {2}⊘ Run a command: denied/);
  await frame("panes");
  terminal.type(KEYS.f6);
  terminal.resize(40, 20);
  terminal.enter("/clear");
  terminal.enter("run echo narrow");
  await shows(/✓ Ran echo narrow[^]*\n\n─/);
  await frame("narrow");
  terminal.resize(80, 12);
  terminal.enter("/clear");
  await gateway.kill();
  await shows("The connection is gone.");
  terminal.enter("hello again");
  await shows(/Sending|Queued|hello again/);
  await frame("lost");
  const page = readFileSync(PAGE, "utf8");
  const drawn = page.replaceAll(FRAME, (_whole, name: string) => {
    const rows = frames.get(name);
    expect(rows, `the frame ${name}`).toBeDefined();
    // A frame that shows a block of code stands between longer marks.
    const mark = "`".repeat(rows?.includes("```") ? 4 : 3);
    return `<!-- frame: ${name} -->\n\n${mark}text\n${rows}\n${mark}`;
  });
  expect(new Set([...page.matchAll(FRAME)].map(([, name]) => name))).toEqual(new Set(frames.keys()));
  if (process.env["ELWOOD_RECORD"] === "1") writeFileSync(PAGE, drawn);
  else expect(page).toBe(drawn);
});

const FRAME = /<!-- frame: (\w+) -->\n\n(`{3,4})text\n[^]*?\n\2(?=\n)/g;
