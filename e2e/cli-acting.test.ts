import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { elwood, startElwood } from "@elwood/testkit/elwood-command";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { afterAll, beforeAll, expect, test } from "vitest";

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
  expect((await run("approvals", "deny", id)).code).toBe(0);
  expect((await first.ended).code).toBe(3);
  expect(await run("approvals", "allow")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/two\.txt \(5 bytes\): approved by owner on cli\./),
  });
  expect((await second.ended).code).toBe(0);
  expect(existsSync(file("one.txt"))).toBe(true);
  expect(existsSync(file("two.txt"))).toBe(false);
});

test("undo without a call says in a pipe what it would undo, and with that call undoes it", async () => {
  const offered = await run("undo");
  expect(offered).toMatchObject({ code: 2, stdout: "" });
  expect(offered.stderr).toMatch(/files\.file\.delete → two\.txt, just now\. Nothing was undone\./);
  expect(existsSync(file("two.txt"))).toBe(false);
  const call = /elwood undo (call_\w+)/.exec(offered.stderr)![1]!;
  const undone = await run("undo", call);
  expect(undone).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Undone\. /) });
  expect(undone.stdout).not.toContain("Untrusted text");
  expect(readFileSync(file("two.txt"), "utf8")).toBe("milk\n");
  expect((await run("undo")).stderr).toMatch(/^There is nothing to undo/);
});
