import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { GatewayClient } from "@elwood/sdk/client";
import {
  freePort,
  startGatewayProcess,
  temporaryHome,
  type GatewayProcess,
} from "@elwood/testkit/gateway-process";
import { mountSmallDisk, orSkip } from "@elwood/testkit/small-disk";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { paintFor } from "../paint.ts";
import { testIo } from "../test-io.ts";
import { Screen } from "./screen.ts";
import { openTestChat, type ChatScene } from "./test-chat.ts";
import { KEYS, TestTerminal } from "./test-terminal.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess();
});
afterAll(async () => {
  await gateway.stop();
});

const openChat = (how: Partial<ChatScene> = {}) => openTestChat({ of: () => gateway, ...how });

const file = (name: string) => join(gateway.home, "files", name);

test("a message is answered below it, once, and the demo is named once", async () => {
  const { terminal, shows } = await openChat();
  terminal.enter("hello");
  await shows(/Ask me what Elwood is[^]*tokens/);
  terminal.enter("what can you do?");
  await shows(/❯ what can you do\?[^]*\n\n─/);
  const text = await terminal.text();
  expect(text.match(/❯ hello/g)).toHaveLength(1);
  expect(text.match(/Ask me what Elwood is/g)).toHaveLength(1);
  expect(text.match(/Connect a real one/g)).toHaveLength(1);
});

test("what needs the owner is shown whole and decided by arrows; typing y, a or Enter into a message allows nothing", async () => {
  const { terminal, shows } = await openChat();
  writeFileSync(file("old.txt"), "old");
  terminal.enter("run rm old.txt");
  await shows(/\$ rm old\.txt[^]*❯ Allow once/);
  for (const key of ["y", "a"]) terminal.type(key);
  expect(existsSync(file("old.txt"))).toBe(true);
  terminal.type(KEYS.enter);
  await shows("Type run and press Enter to allow it");
  terminal.enter("yes");
  await shows("That is another word");
  expect(existsSync(file("old.txt"))).toBe(true);
  terminal.type(KEYS.enter);
  await shows(/Type run and press[^]*Type run and press|Type run and press Enter/);
  terminal.enter("run");
  await expect.poll(() => existsSync(file("old.txt"))).toBe(false);
  await shows(/you allowed it[^]*Ran a command/);
  expect(await terminal.text()).not.toContain("elsewhere");
});

test("a denial goes back with its note, and nothing ran", async () => {
  const { terminal, shows } = await openChat();
  writeFileSync(file("keep.txt"), "keep");
  terminal.enter("run rm keep.txt");
  await shows("❯ Allow once");
  for (let i = 0; i < 3; i++) terminal.type(KEYS.down);
  await shows("❯ Deny and say why");
  terminal.type(KEYS.enter);
  await shows("Why not?");
  terminal.enter("I still need it");
  await shows("denied");
  expect(readFileSync(file("keep.txt"), "utf8")).toBe("keep");
});

test("what is put off waits, is counted in another conversation, and can be decided from there", async () => {
  const { terminal, shows } = await openChat();
  writeFileSync(file("later.txt"), "x");
  terminal.enter("run rm later.txt");
  await shows("❯ Allow once");
  terminal.type(KEYS.escape);
  await shows("Not decided. It waits");
  terminal.enter("/new");
  await shows("1 approval waits elsewhere: /approvals");
  terminal.enter("/approvals");
  await shows(/\/approvals[^]*❯ Allow once|rm later\.txt[^]*rm later\.txt[^]*❯ Allow once/);
  terminal.type(KEYS.down);
  terminal.type(KEYS.down);
  await shows("❯ Deny");
  terminal.type(KEYS.enter);
  await expect.poll(async () => (await terminal.lines()).at(-1)).not.toContain("waits elsewhere");
  expect(existsSync(file("later.txt"))).toBe(true);
});

test("what somebody decides on another surface closes the list here", async () => {
  const { terminal, client, shows } = await openChat();
  writeFileSync(file("page.txt"), "x");
  terminal.enter("run rm page.txt");
  await shows("❯ Allow once");
  const { approvals } = await client.call("approvals.list", { status: "pending", limit: 10 });
  const other = await GatewayClient.connect({
    url: gateway.url,
    token: gateway.token,
    client: { name: "web" },
  });
  await other.call("exec.deny", { approvalId: approvals[0]!.approvalId });
  await other.close();
  await shows("Decided elsewhere");
  await expect
    .poll(async () => (await terminal.text()).split("Decided elsewhere")[1])
    .not.toContain("❯ Allow");
});

test("an earlier conversation is found by its words and goes on", async () => {
  const first = await openChat();
  first.terminal.enter("run echo marzipan");
  await first.shows(/Ran a command[^]*\n\n─/);
  const { terminal, shows } = await openChat();
  terminal.type(KEYS.ctrlO);
  await shows("Conversations, newest first");
  for (const key of "marzipan") terminal.type(key);
  await shows("❯ run echo marzipan");
  terminal.type(KEYS.enter);
  await shows(/Going on in “run echo marzipan”[^]*❯ run echo marzipan/);
  terminal.enter("/evidence");
  await shows("✓ Ran a command");
});

test("/undo says what it took back, and the evidence tells it on the line of the call", async () => {
  const { terminal, shows } = await openChat();
  terminal.enter("write 'milk' to undone.txt");
  await shows(/✓ Wrote undone\.txt[^]*tokens/);
  terminal.enter("/undo");
  await shows(/Undone\. .*undone\.txt/);
  expect(existsSync(file("undone.txt"))).toBe(false);
  terminal.enter("/evidence");
  await shows(/ {2}✓ Wrote a file · undone\.txt · undone since\n\n?─/);
  terminal.enter("/undo");
  await shows("Nothing that ran here can be undone.");
});

test("an undo that is refused is not called done", async () => {
  const { terminal, shows } = await openChat();
  terminal.enter("write 'milk' to changed-since.txt");
  await shows(/✓ Wrote changed-since\.txt[^]*tokens/);
  writeFileSync(file("changed-since.txt"), "somebody else was here");
  terminal.enter("/undo");
  await shows(/Not (?:un)?done[.:]/);
  expect(readFileSync(file("changed-since.txt"), "utf8")).toBe("somebody else was here");
});

test("commands explain themselves, and a wrong one says so", async () => {
  const { terminal, shows } = await openChat();
  terminal.enter("/help");
  await shows(/\/approvals[^]*Ctrl\+O/);
  terminal.enter("/memory");
  await shows("Write it like this: /memory <words>");
  terminal.enter("/nonsense");
  await shows("There is no command /nonsense.");
  terminal.enter("/usage");
  await shows(/answers · \d+ tokens/);
  terminal.enter("/model nobody/nothing");
  await shows("Not done:");
});

test("control sequences in what is shown do not reach the terminal", async () => {
  const { terminal, shows } = await openChat();
  writeFileSync(file("evil.txt"), "\u001b]0;owned\u0007\u001b[2Jgone");
  terminal.enter("read evil.txt");
  await shows(/❯ read evil\.txt[^]*\n\n─/);
  expect(terminal.raw).not.toContain("\u001b]0;");
  expect(terminal.raw).not.toContain("\u001b[2Jgone");
});

test("words behind the command are the first message", async () => {
  const { shows } = await openChat({ first: "run echo first things first" });
  await shows(/❯ run echo first things first[^]*Ran a command/);
});

test("Ctrl+C clears the box, and twice leaves; Ctrl+D leaves an empty box", async () => {
  const one = await openChat();
  one.terminal.type("a thought");
  one.terminal.type(KEYS.ctrlC);
  await one.shows("Press Ctrl+C again to leave.");
  expect(await one.terminal.text()).not.toContain("a thought");
  one.terminal.type(KEYS.ctrlC);
  await one.left;
  const two = await openChat();
  two.terminal.type(KEYS.ctrlD);
  await two.left;
});

test("a gateway that is killed and comes back is joined again, and nothing is printed twice", async () => {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  const port = await freePort();
  let own = await startGatewayProcess({ home: home.path, port });
  onTestFinished(async () => void (await own.stop()));
  const { terminal, shows } = await openChat({ of: () => own });
  terminal.enter("hello");
  await shows(/Ask me what Elwood is[^]*\n\n─/);
  await own.kill();
  await shows("The connection is gone.");
  terminal.enter("run echo back again");
  own = await startGatewayProcess({ home: home.path, port });
  await shows("Connected again.");
  await shows(/❯ run echo back again[^]*Ran a command/);
  const text = await terminal.text();
  expect(text.match(/Ask me what Elwood is/g)).toHaveLength(1);
  expect(text.match(/❯ run echo back again/g)).toHaveLength(1);
});

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** The gateway as one of another version would greet, over the same wire. */
async function otherVersion() {
  let protocol = "2";
  const sockets = new Set<Socket>();
  const proxy = createServer((near) => {
    const far = connect(portOf(gateway.url), "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
    }
    // The gateway takes requests for its own address alone.
    near.on("data", (bytes) =>
      far.write(
        bytes.toString("latin1").replace(/(Host: [^\r]*:)\d+/i, `$1${portOf(gateway.url)}`),
        "latin1",
      ),
    );
    // The same number of bytes, so that frames stay whole.
    far.on("data", (bytes) =>
      near.write(bytes.toString("latin1").replaceAll('"protocol":2', `"protocol":${protocol}`), "latin1"),
    );
    far.on("close", () => near.destroy());
    near.on("close", () => far.destroy());
  });
  await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  return {
    url: gateway.url.replace(/:\d+/, `:${port}`),
    becomes(version: string) {
      protocol = version;
      for (const socket of sockets) socket.destroy();
    },
  };
}

test("a gateway of another protocol is told in a line, also one that takes the place of another, and nothing is lost", async () => {
  const other = await otherVersion();
  const { terminal, shows } = await openChat({ of: () => ({ ...gateway, url: other.url }) });
  terminal.enter("hello");
  await shows(/Ask me what Elwood is[^]*\n\n─/);
  expect(await terminal.text()).not.toContain("speaks protocol");
  for (const key of "half a mess") terminal.type(key);
  other.becomes("9");
  await shows(/Connected again\.[^]*The gateway speaks protocol 9, this terminal 2\. [^]*half a mess/);
  terminal.enter("age");
  await shows(/❯ half a message\n[^]*\n\n─/);
  const atStart = await openChat({ of: () => ({ ...gateway, url: other.url }) });
  await atStart.shows("The gateway speaks protocol 9, this terminal 2.");
  expect((await atStart.terminal.text()).match(/speaks protocol/g)).toHaveLength(1);
  atStart.terminal.enter("run echo still works");
  await atStart.shows(/❯ run echo still works[^]*Ran a command/);
});

test("on a light and on a dark background: no black, no white, no background, and no colour but those of the palette", async () => {
  const paint = paintFor(testIo({ tty: true, env: { NO_COLOR: "" } }));
  const terminal = new TestTerminal(90, 40);
  const { shows } = await openChat({
    terminal,
    deps: { paint, screen: (events) => new Screen(terminal, events, paint) },
  });
  terminal.enter("run rm nothing-of-this-name.txt");
  await shows("❯ Allow once");
  terminal.type(KEYS.escape);
  await shows("Not decided. It waits");
  terminal.enter("/settings");
  await shows("Settings of this conversation");
  // oxlint-disable-next-line no-control-regex
  const styles = new Set([...terminal.raw.matchAll(/\u001b\[([\d;]*)m/g)].map(([, codes = ""]) => codes));
  expect([...styles]).toContain("36");
  // Bold, dim, italic, underlined and reversed, on and off; red to cyan, and back to the usual colour.
  for (const codes of styles) expect(codes).toMatch(/^(?:[0-4]|7|2[2-47]|3[1-6]|39)?$/);
});

test.each([40, 300])("fits into %i columns", async (columns) => {
  const { terminal, shows } = await openChat({ columns });
  terminal.enter("run rm nothing-of-this-name.txt");
  await shows("❯ Allow once");
  for (const line of await terminal.lines()) expect(line.length).toBeLessThanOrEqual(columns);
  terminal.type(KEYS.escape);
});

test("a full disk is told in the chat, marked below it, and its end is told too", async (context) => {
  using disk = orSkip(context, mountSmallDisk({ kilobytes: 6_144 }));
  await using full = await startGatewayProcess({ home: disk.path });
  const { terminal, shows } = await openChat({ of: () => full });
  await shows(/Demo model/);
  disk.fill();
  terminal.enter("hello");
  await shows(/The disk is full: Elwood takes on nothing new/);
  await shows(/· read-only/);
  disk.free();
  await shows("Elwood can write again, and goes on.");
});
