import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { elwood, startElwood } from "@elwood/testkit/elwood-command";
import { startGatewayProcess, temporaryHome, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

/** Deciding and taking back from a shell, with the demo model over a real gateway. */

let gateway: GatewayProcess;
const run = (...args: string[]) => elwood(args, { home: gateway.home });
const file = (name: string) => join(gateway.home, "files", name);
beforeAll(async () => {
  gateway = await startGatewayProcess();
  mkdirSync(join(gateway.home, "files"), { recursive: true });
});
afterAll(() => gateway.kill());

/** Begins a run that deletes a file, and waits until it asks. */
async function deleting(name: string) {
  writeFileSync(file(name), "milk\n");
  const command = startElwood([`delete ${name}`], { home: gateway.home });
  await command.until(/Waiting for you:/, "stderr");
  return command;
}

test("undo without a call has nothing to offer at first; allow and deny nothing to decide", async () => {
  expect(await run("undo")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^There is nothing to undo/),
  });
  const none = { code: 1, stdout: "", stderr: "No call waits for you. Nothing was decided.\n" };
  expect(await run("approvals", "allow")).toEqual(none);
  expect(await run("approvals", "deny")).toEqual(none);
});

test("allow without an id means the only call that waits; several are listed, and none is decided", async () => {
  const first = await deleting("one.txt");
  const second = await deleting("two.txt");
  const several = await run("approvals", "deny");
  expect(several).toMatchObject({ code: 2, stdout: "" });
  expect(several.stderr).toMatch(/^2 calls wait for you\. Nothing was decided[^]*one\.txt[^]*two\.txt/);
  const id = /^ {2}(\w{8}) .*one\.txt/m.exec(several.stderr)![1]!;
  const { stdout } = await run("approvals", "show", id, "--details");
  expect(stdout).toMatch(/^Delete one\.txt\n1 line · you can undo this\n {2}- milk\n/);
  expect(stdout).toMatch(/\nInput:\n {2}path: one\.txt\n/);
  expect(await run("approvals", "deny", id)).toMatchObject({
    code: 0,
    stdout: "⊘ Not deleted: one.txt · you denied it\n",
  });
  expect((await first.ended).code).toBe(3);
  expect(await run("approvals", "allow")).toMatchObject({
    code: 0,
    stdout: "▸ Deleting two.txt… · you allowed it\n",
  });
  expect((await second.ended).code).toBe(0);
  expect(existsSync(file("one.txt"))).toBe(true);
  expect(existsSync(file("two.txt"))).toBe(false);
});

test("undo without a call says in a pipe what it would undo, and with that call undoes it", async () => {
  const offered = await run("undo");
  expect(offered).toMatchObject({ code: 2, stdout: "" });
  expect(offered.stderr).toMatch(/“Deleted a file \(two\.txt\)”, just now\. Nothing was undone\./);
  expect(existsSync(file("two.txt"))).toBe(false);
  const call = /elwood undo (call_\w+)/.exec(offered.stderr)![1]!;
  const undone = await run("undo", call);
  expect(undone).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Undone\. /) });
  expect(undone.stdout).not.toContain("Untrusted text");
  expect(readFileSync(file("two.txt"), "utf8")).toBe("milk\n");
  expect((await run("undo")).stderr).toMatch(/^There is nothing more to undo: “Deleted a file \(two\.txt\)”/);
});

test("--wait ends with exit code 4, says what waits and how to decide it, and the run waits on", async () => {
  writeFileSync(file("three.txt"), "milk\n");
  const ended = await run("--wait", "1s", "delete three.txt");
  expect(ended).toMatchObject({ code: 4, stdout: "" });
  expect(ended.stderr).toMatch(/Nobody decided within 1 s\. The run waits on.*\n {2}Delete .*three\.txt/);
  const [, id] = /approvals allow (\w{8}) or deny \1\n/.exec(ended.stderr)!;
  expect(ended.stderr).toMatch(/elwood sessions show ses_\w+\n$/);
  expect(existsSync(file("three.txt"))).toBe(true);

  const json = await run("--json", "--wait", "0s", "delete three.txt");
  expect(json.code).toBe(4);
  expect(JSON.parse(json.stdout)).toMatchObject({
    runId: expect.stringMatching(/^run_/),
    waiting: [{ id: expect.stringMatching(/^apr_/), what: expect.stringContaining("three.txt") }],
    error: { code: "TIMEOUT" },
  });
  expect((await run("approvals", "deny", id!)).code).toBe(0);
  expect((await run("approvals", "deny")).code).toBe(0);
  expect(await run("--wait", "soon", "hello")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Write a time such as 90s, 10m or 1h."),
  });
});

test("where no gateway runs, a command does not wait for another's decision, and the one that decides finishes the run", async () => {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  const alone = (...args: string[]) => elwood(args, { home: home.path });
  mkdirSync(join(home.path, "files"), { recursive: true });
  const path = join(home.path, "files", "one.txt");
  writeFileSync(path, "milk\n");
  expect((await alone("--wait", "0s", "delete one.txt")).code).toBe(4);
  expect(await alone("sessions", "list")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("delete one.txt"),
  });
  expect(existsSync(path)).toBe(true);
  expect((await alone("approvals", "allow")).code).toBe(0);
  expect(existsSync(path)).toBe(false);
  const { stdout } = await alone("sessions", "show", "delete one");
  expect(stdout).toContain("That is done");
});
