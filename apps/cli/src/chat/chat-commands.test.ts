import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestChat, type ChatScene } from "./test-chat.ts";
import { KEYS, TestTerminal } from "./test-terminal.ts";

let gateway: GatewayProcess;
let folder: string;
beforeAll(async () => {
  gateway = await startGatewayProcess();
  folder = mkdtempSync(join(tmpdir(), "elwood-chat-"));
});
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
});

const openChat = (how: Partial<ChatScene> = {}) => openTestChat({ of: () => gateway, cwd: folder, ...how });

test("AC-14: settings are chosen before the first message, kept with the conversation and taken up again", async () => {
  const { terminal, shows, client } = await openChat({ columns: 140 });
  terminal.enter("/temperature 0,3");
  await shows("The temperature is 0.3 here");
  terminal.enter("/top-p 0.9");
  terminal.enter("/system Answer in rhymes.");
  terminal.enter("/tools off");
  await shows(/temperature 0\.3 · top-p 0\.9 · no tools · own system prompt/);
  terminal.enter("hello rhymes");
  await shows(/Ask me what Elwood is[^]*tokens/);
  const { sessions } = await client.call("sessions.list", { limit: 1 });
  expect(sessions[0]).toMatchObject({
    temperature: 0.3,
    topP: 0.9,
    system: "Answer in rhymes.",
    tools: false,
  });
  const again = await openChat({ columns: 140, session: sessions[0]!.sessionKey });
  await again.shows(/temperature 0\.3 · top-p 0\.9 · no tools · own system prompt · hello rhymes/);
  again.terminal.enter("/temperature usual");
  await again.shows("The temperature is the model's usual one here.");
  again.terminal.enter("/system none");
  await again.shows("Nothing is added to the system prompt here.");
  again.terminal.enter("/tools on");
  await again.shows(/demo model · balanced · top-p 0\.9 · hello rhymes/);
  again.terminal.enter("/temperature hot");
  await again.shows("The temperature is a number from 0 to 2. Nothing was changed.");
});

test("F2 lists the settings, and a line of it changes one", async () => {
  const { terminal, shows } = await openChat();
  terminal.type(KEYS.f2);
  await shows(/❯ Model[^]*Tools {2}on/);
  for (let i = 0; i < 4; i++) terminal.type(KEYS.down);
  terminal.type(KEYS.enter);
  await shows("From now on the model has no tools here.");
});

test("Shift+Tab asks more at once, and asking less is confirmed", async () => {
  const { terminal, shows, client } = await openChat();
  const mode = async () => (await client.call("policy.mode", {})).mode;
  terminal.type(KEYS.shiftTab);
  await shows("Mode: strict.");
  terminal.type(KEYS.shiftTab);
  await shows("❯ Stay with strict");
  terminal.type(KEYS.enter);
  expect(await mode()).toBe("strict");
  terminal.enter("/mode balanced");
  await shows(/Stay with strict\n {2}Switch to balanced\n─/);
  terminal.type(KEYS.down);
  terminal.type(KEYS.enter);
  await shows("Mode: balanced.");
  expect(await mode()).toBe("balanced");
});

test("files behind an @ go along; a binary or a missing one is said, and the message stays in the box", async () => {
  writeFileSync(join(folder, "notes.txt"), "water the plants");
  writeFileSync(join(folder, "tool.bin"), Buffer.from([0, 1, 2, 255, 254]));
  writeFileSync(join(folder, "with space.md"), "# hi");
  const { terminal, shows, client } = await openChat();
  writeFileSync(join(folder, "plan.docx"), "PK\u0003\u0004 as far as the terminal looks");
  terminal.enter('see @notes.txt, @plan.docx and @"with space.md" but not @nobody');
  await shows(/\[file: notes\.txt\]\n {2}\[file: plan\.docx\]\n {2}\[file: with space\.md\]/);
  await shows(/\n\n─/);
  const { sessions } = await client.call("sessions.list", { limit: 1 });
  const { messages } = await client.call("chat.history", { sessionKey: sessions[0]!.sessionKey });
  const files = messages[0]!.blocks.filter(({ type }) => type === "file");
  expect(files).toMatchObject([
    { name: "notes.txt", mime: "text/plain" },
    { name: "plan.docx", mime: expect.stringMatching(/wordprocessingml\.document$/) },
    { name: "with space.md", mime: "text/markdown" },
  ]);
  terminal.enter("run @tool.bin");
  await shows("tool.bin is binary: neither text in UTF-8, a picture nor a document. Nothing was sent.");
  await shows(/─\nrun @tool\.bin/);
});

test("typing @ offers files below the folder, those of other projects' packages left out", async () => {
  mkdirSync(join(folder, "src", "deep"), { recursive: true });
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  writeFileSync(join(folder, "src", "deep", "marble.ts"), "1");
  writeFileSync(join(folder, "node_modules", "marble.js"), "1");
  const { terminal, shows } = await openChat();
  for (const key of "@marb") terminal.type(key);
  await shows("src/deep/marble.ts");
  expect(await terminal.text()).not.toContain("marble.js");
  terminal.type(KEYS.tab);
  await shows(/─\n@src\/deep\/marble\.ts/);
});

test("a long paste goes along as a file, ten megabytes of it too, and a short one stays text", async () => {
  const { terminal, shows } = await openChat();
  terminal.paste("short");
  await shows(/─\nshort/);
  terminal.type(KEYS.ctrlC);
  terminal.paste(`${"0123456789abcdef".repeat(64)}\n`.repeat(10 * 1024));
  await shows("With your next message: pasted-1.txt");
  await shows("[pasted-1.txt: 10241 lines]");
  terminal.type(KEYS.enter);
  await shows(/pasted-1\.txt is long: the model sees its first 200000 characters/);
  await shows(/❯ \[pasted-1\.txt: 10241 lines\]\s*\n {2}\[file: pasted-1\.txt\]/);
});

test("what is pasted while the chat still connects waits for its message", async () => {
  const earlier = await openChat();
  earlier.terminal.enter("hello before");
  await earlier.shows(/Ask me what Elwood is[^]*tokens/);
  const { sessions } = await earlier.client.call("sessions.list", { limit: 1 });
  const terminal = new TestTerminal(90, 40);
  const opening = openChat({ terminal, session: sessions[0]!.sessionKey });
  terminal.paste("a line of it\n".repeat(1000));
  const { shows } = await opening;
  // It is connected once it shows what was said before.
  await shows("❯ hello before");
  await shows("With your next message: pasted-1.txt");
  terminal.enter("hello");
  await shows(/❯ \[pasted-1\.txt: 1001 lines\] hello\n {2}\[file: pasted-1\.txt\]/);
});

test("a picture of the clipboard is a placeholder, and a key opens it", async () => {
  const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  const opened: string[] = [];
  const { terminal, shows } = await openChat({
    deps: { clipboardPicture: async () => png, open: (path) => opened.push(path) > 0 },
  });
  terminal.type(KEYS.ctrlV);
  await shows("With your next message: pasted-1.png");
  terminal.enter("what is this?");
  await shows("[picture 1: pasted-1.png · Alt+O opens it]");
  terminal.type(KEYS.altO);
  await shows("Opened in your browser.");
  expect(opened[0]).toMatch(/^\/blobs\/.*ticket=/);
});

test("a command behind ! asks once, runs as the owner, and what it wrote can go along", async () => {
  const { terminal, shows } = await openChat();
  terminal.enter("!printf 'one\\033]0;owned\\007\\n'; exit 3");
  await shows("❯ Do not run it");
  terminal.type(KEYS.enter);
  terminal.enter("/attach");
  await shows("No command of yours has written anything.");
  terminal.enter("!printf 'one\\033]0;owned\\007\\n'; exit 3");
  await shows("❯ Do not run it");
  terminal.type(KEYS.down);
  terminal.type(KEYS.enter);
  await shows("Exit code 3. /attach puts what it wrote");
  terminal.enter("!echo two");
  await shows(/\ntwo\nExit code 0/);
  terminal.enter("/attach");
  await shows("With your next message: command-output.txt");
  expect(terminal.raw).not.toContain("\u001b]0;");
  terminal.enter("!sleep 1000");
  await shows("A command of yours is running");
  terminal.type(KEYS.escape);
  await shows("Ended by SIGTERM");
});

test("what was sent before is found again, from other conversations too", async () => {
  const first = await openChat();
  first.terminal.enter("run echo quincunx");
  await first.shows(/Ran a command[^]*\n\n─/);
  const { terminal, shows } = await openChat();
  terminal.type(KEYS.ctrlR);
  await shows("What you sent before");
  for (const key of "quinc") terminal.type(key);
  await shows("❯ run echo quincunx");
  terminal.type(KEYS.enter);
  await shows(/─\nrun echo quincunx/);
});

test("an earlier message is changed in its place, as another version; the first one can be shown again", async () => {
  const { terminal, shows, client } = await openChat();
  terminal.enter("hello palimpsest");
  await shows(/Ask me what Elwood is[^]*\n\n─/);
  const { sessions } = await client.call("sessions.list", { limit: 1 });
  const { sessionKey } = sessions[0]!;
  const asked = async () =>
    (await client.call("sessions.get", { sessionKey })).messages
      .filter(({ role }) => role === "user")
      .map(({ blocks }) => blocks.map((block) => (block.type === "text" ? block.text : "")).join(""));
  terminal.enter("/version");
  await shows("There is one version of each message.");
  terminal.type(KEYS.escape);
  terminal.type(KEYS.escape);
  await shows("❯ hello palimpsest");
  terminal.type(KEYS.enter);
  await shows(/Change it and press Enter[^]*─\nhello palimpsest/);
  terminal.enter(" again");
  await shows(/❯ hello palimpsest again[^]*‹2\/2› \/version shows another/);
  expect(await asked()).toEqual(["hello palimpsest again"]);
  terminal.enter("/version 1");
  await shows(/‹1\/2› \/version shows another/);
  expect(await asked()).toEqual(["hello palimpsest"]);
  terminal.enter("/version 7");
  await shows("There are versions 1 to 2.");
  terminal.enter("/version");
  await shows(/Version 1 of 2 +shown now/);
  terminal.type(KEYS.escape);
  terminal.enter("/retry");
  await shows("‹3/3› /version shows another");
  expect(await asked()).toEqual(["hello palimpsest"]);
  // The conversation is the same, and nobody made a copy.
  const after = await client.call("sessions.list", { limit: 1 });
  expect(after.sessions[0]?.sessionKey).toBe(sessionKey);
});

test("a message that was to be changed stays as it was, and what is sent next is another message", async () => {
  const { terminal, shows, client } = await openChat();
  terminal.enter("hello quicksand");
  await shows(/Ask me what Elwood is[^]*\n\n─/);
  terminal.enter("/edit");
  await shows("❯ hello quicksand");
  terminal.type(KEYS.enter);
  await shows(/Change it and press Enter[^]*─\nhello quicksand/);
  terminal.type(KEYS.ctrlC);
  terminal.type(KEYS.escape);
  await shows("The message stays as it was.");
  terminal.enter("hello marble");
  await shows(/❯ hello marble\nHello again\.[^]*\n\n─/);
  const { sessions } = await client.call("sessions.list", { limit: 1 });
  const { messages } = await client.call("chat.history", { sessionKey: sessions[0]!.sessionKey });
  expect(messages).toHaveLength(4);
});

test("a conversation gets a title, is written into a file once, and its answers are pinned", async () => {
  const { terminal, shows } = await openChat();
  terminal.type(KEYS.ctrlS);
  await shows("Nothing was said yet.");
  terminal.enter("hello pinboard");
  await shows(/Ask me what Elwood is[^]*\n\n─/);
  terminal.type(KEYS.ctrlS);
  await shows("A title for this conversation.");
  terminal.enter("Board");
  await shows("This conversation is called “Board”.");
  terminal.enter("/export talk.md");
  await shows("talk.md.");
  expect(readFileSync(join(folder, "talk.md"), "utf8")).toContain("hello pinboard");
  terminal.enter("/export talk.md");
  await shows("exists already. Nothing was written");
  terminal.enter("/pin");
  await shows("Pinned the last answer.");
  terminal.enter("/pin list");
  await shows("❯ hello pinboard");
  terminal.type(KEYS.escape);
  terminal.enter("/pin off");
  await shows("The last answer is not pinned any more.");
});

test("prompts are files: saved from a message, put into the box, used as a system prompt", async () => {
  const { terminal, shows } = await openChat();
  terminal.enter("hello again and again");
  await shows(/Ask me what Elwood is[^]*\n\n─/);
  terminal.enter("/snippets save greeting");
  await shows("Saved your last message as greeting.md");
  terminal.enter("/snippets save greeting");
  await shows("There is a prompt “greeting” already.");
  terminal.enter("/snippets");
  await shows("❯ greeting");
  terminal.type(KEYS.enter);
  await shows(/─\nhello again and again/);
  terminal.type(KEYS.ctrlC);
  terminal.enter("/system @greeting");
  await shows("own system prompt");
  terminal.enter("/snippets ../secret");
  await shows("is no name for a prompt");
});

test("calls are one line each, and unfold with what came out of them", async () => {
  const { terminal, shows } = await openChat();
  terminal.enter("run echo folded things");
  await shows(/✓ Ran a command · echo folded things · 2 lines\n/);
  await shows(/\n\n─/);
  expect(await terminal.text()).not.toContain("│ folded things");
  terminal.type(KEYS.ctrlT);
  await shows(/shown whole from now on\.\n✓ Ran a command · echo folded things\n {2}│ folded things/);
  terminal.enter("/receipts");
  await shows(/tool\.call\.succeeded[^]*receipts are as they were written/);
  terminal.enter("/doctor");
  await shows(/\d+ in order · \d+ warnings/);
  terminal.enter("/jobs");
  await shows("heartbeat · every 30 minutes");
});

test("panes stand beside the conversation, and what was said in them is in the scrollback afterwards", async () => {
  const { terminal, shows } = await openChat({ columns: 140 });
  terminal.type(KEYS.f6);
  await shows(/Conversations[^]*│[^]*Calls and evidence/);
  terminal.enter("run echo in panes");
  await shows(/│ {2}✓ Ran a command · echo in[^]*│✓ Ran echo in panes/);
  terminal.type(KEYS.f6);
  await shows(/❯ run echo in panes\n✓ Ran a command · echo in panes/);
  expect(await terminal.text()).not.toContain("Calls and evidence");
  terminal.resize(60, 20);
  terminal.type(KEYS.f6);
  await shows(/in panes/);
  terminal.type(KEYS.tab);
  await shows(/^Conversations/m);
  terminal.type(KEYS.tab);
  await shows(/^Calls and evidence/m);
});

test("an empty screen keeps what was said in the scrollback", async () => {
  const { terminal, shows } = await openChat();
  terminal.enter("/usage");
  await shows("in this conversation");
  terminal.type(KEYS.ctrlK);
  await expect.poll(() => terminal.screen()).not.toContain("in this conversation");
  expect(await terminal.text()).toContain("in this conversation");
});

test("the last conversation is offered, and /resume goes on in it", async () => {
  const first = await openChat();
  first.terminal.enter("hello wanderer");
  await first.shows(/Ask me what Elwood is[^]*\n\n─/);
  const { terminal, shows } = await openChat();
  await shows("Last conversation: “hello wanderer”");
  terminal.enter("/resume");
  await shows("Going on in “hello wanderer”");
});

test("a terminal without UTF-8 gets ASCII only, whatever is said", async () => {
  const { terminal, shows } = await openChat({ screen: { ascii: true } });
  terminal.enter("run echo naïve 漢字 →");
  await shows(/\+ Ran a command - echo naive \?\?\?\? >/);
  // oxlint-disable-next-line no-control-regex
  expect(terminal.raw.replaceAll(/[\u0000-\u007f]/g, "")).toBe("");
});

test("keys of the owner's own count instead of the usual ones", async () => {
  const { USUAL_KEYS } = await import("./keys.ts");
  const keys = { ...USUAL_KEYS, sessions: ["f9"], evidence: ["ctrl+o"] };
  const { terminal, shows } = await openChat({ screen: { keys }, deps: { keys } });
  terminal.type(KEYS.ctrlO);
  await shows("There is no answer yet.");
  terminal.type(KEYS.f9);
  await shows("Conversations, newest first");
  terminal.type(KEYS.escape);
  terminal.enter("/help");
  await shows(/F9 +conversations/);
});
