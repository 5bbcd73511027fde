import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GatewayClient, isPush } from "@elwood/sdk/client";
import { startScriptedAnthropic, type ScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openHousehold, type Household } from "./test-household.ts";

let model: ScriptedAnthropic;
let house: Household;
beforeAll(async () => {
  model = await startScriptedAnthropic();
});
afterAll(() => model[Symbol.asyncDispose]());
beforeEach(async () => {
  house = await openHousehold(model);
});
afterEach(() => house[Symbol.asyncDispose]());

const TODO = "milk\nbread\nbutter\ncheese\napples\npears\nrice\nbeans\n";
const write = (path: string, content: string) => ["files.file.write", { path, content }] as const;
const edit = (path: string, oldText: string, newText: string) =>
  ["files.file.edit", { path, oldText, newText }] as const;
const put = (name: string, text: string) => writeFileSync(join(house.home, "files", name), text);
const read = (name: string) => readFileSync(join(house.home, "files", name), "utf8");

describe("a sentence allows one change of a file", () => {
  test("the second one asks, whatever it writes and however the path is spelled", async () => {
    put("todo.md", "milk\n");
    const whole = join(house.home, "files", "todo.md");
    const { asks } = await house.run({
      says: "Add eggs to todo.md.",
      calls: [
        write("todo.md", "milk\neggs\n"),
        write("./todo.md", "milk\neggs\nham\n"),
        write(whole, "milk\neggs\nspam\n"),
      ],
    });
    expect(asks.map(({ rule }) => rule)).toEqual(["authority.used", "authority.denied"]);
    expect(read("todo.md")).toBe("milk\neggs\n");
  });

  test("by a program too", async () => {
    put("todo.md", "milk\n");
    const source = `const done: boolean[] = [];
for (const text of ["milk eggs", "milk eggs ham", "milk eggs spam"])
  done.push((await tools.files.file.write({ path: "todo.md", content: text })).ok);
return done;`;
    const { asks } = await house.run({
      says: "Add eggs to todo.md.",
      calls: [["program.code.run", { source }]],
    });
    expect(asks.length).toBeGreaterThan(0);
    expect(["milk\n", "milk eggs"]).toContain(read("todo.md"));
  });

  test("one that failed may be tried again", async () => {
    put("todo.md", "milk\nmilk\n");
    const { asks } = await house.run({
      says: "Tick off the second milk in todo.md.",
      calls: [edit("todo.md", "milk", "~milk~"), edit("todo.md", "milk\nmilk", "milk\n~milk~")],
    });
    expect(asks).toEqual([]);
    expect(read("todo.md")).toBe("milk\n~milk~\n");
  });
});

describe("what is there is not lost by the way", () => {
  test.each([
    ["Add eggs to todo.md.", "eggs\n", "authority.loss"],
    ["Update todo.md.", "", "authority.loss"],
    ["Update todo.md.", "eggs\n", "authority.loss"],
    ["Clear todo.md.", "", undefined],
    ["Overwrite todo.md with eggs.", "eggs\n", undefined],
    ["Add eggs to todo.md.", `${TODO}eggs\n`, undefined],
  ])("%j writing %j: %s", async (says, content, rule) => {
    put("todo.md", TODO);
    const { asks } = await house.run({ says, calls: [write("todo.md", content)] });
    expect(asks.map((ask) => ask.rule)).toEqual(rule === undefined ? [] : [rule]);
    expect(read("todo.md")).toBe(rule === undefined ? content : TODO);
  });
});

describe("a denial uses the sentence up", () => {
  test("the same file asks again, with another text and by another tool", async () => {
    put("todo.md", TODO);
    const { asks } = await house.run({
      says: "Update todo.md.",
      calls: [write("todo.md", ""), write("todo.md", `${TODO}eggs\n`), edit("./todo.md", "milk", "ham")],
    });
    expect(asks.map(({ rule }) => rule)).toEqual(["authority.loss", "authority.denied", "authority.denied"]);
    expect(read("todo.md")).toBe(TODO);
  });

  test("what the owner writes beside it counts, once", async () => {
    put("todo.md", TODO);
    const { asks } = await house.run({
      says: "Update todo.md.",
      calls: [write("todo.md", ""), write("other.md", "eggs\n"), write("other.md", "ham\n")],
      decide: () => ({ note: "No, write eggs into other.md instead." }),
    });
    expect(asks.map(({ rule }) => rule)).toEqual(["authority.loss", "authority.used"]);
    expect(read("other.md")).toBe("eggs\n");
    expect(read("todo.md")).toBe(TODO);
  });
});

test("the reason that is kept names no content", async () => {
  put("todo.md", TODO);
  const { asks } = await house.run({
    says: "Add my secret marzipan to todo.md.",
    calls: [write("todo.md", "marzipan instead of everything")],
  });
  expect(asks).toHaveLength(1);
  const { receipts } = await house.client.call("receipts.list", { types: ["tool.call.asked"], limit: 10 });
  expect(JSON.stringify(receipts)).toContain("authority.loss");
  expect(JSON.stringify(receipts)).not.toContain("marzipan");
});

test("what a token without approve writes asks for nothing in the owner's name", async () => {
  const { token } = await house.client.call("tokens.create", { name: "home", scopes: ["chat"] });
  const program = await GatewayClient.connect({ url: house.url, token, client: { name: "home" } });
  try {
    const { sessionKey } = await program.call("sessions.create", {});
    const asked = Promise.withResolvers<string>();
    const deaf = house.client.onPush((push) => {
      if (!isPush(push, "exec.approval_request") || push.data.sessionKey !== sessionKey) return;
      asked.resolve(push.data.rule);
      void house.client.call("exec.deny", { approvalId: push.data.approvalId });
    });
    await program.call("chat.send", {
      sessionKey,
      message: "Write hello to hello.md.",
      model: `anthropic/${model.play([write("hello.md", "hello")])}`,
    });
    expect(await asked.promise).toBe("authority.none");
    deaf();
  } finally {
    await program.close();
  }
});

describe("trusting", () => {
  test("a change that can be undone runs, and one whose copy does not fit asks", async () => {
    await house.client.call("policy.mode", { mode: "trusting", confirm: true });
    put("old.md", TODO);
    const decided = async (toolId: string, input: unknown) => {
      const { decision, rule } = await house.client.call("policy.explain", { toolId, input });
      return `${decision} ${rule}`;
    };
    expect(await decided("files.file.delete", { path: "old.md" })).toBe("allow mode.trusting");
    expect(await decided("files.file.write", { path: "old.md", content: "" })).toBe("allow mode.trusting");
    expect(await decided("files.file.write", { path: "code/.vscode/tasks.json", content: "x" })).toBe(
      "ask ask.obeyed-file",
    );
    // The room for copies that must stay is taken.
    const kept = join(house.home, "undo", "promised");
    mkdirSync(kept, { recursive: true });
    for (let n = 0; n < 8; n++) {
      writeFileSync(join(kept, `${n}`), "");
      truncateSync(join(kept, `${n}`), 32 * 1024 * 1024);
    }
    expect(await decided("files.file.delete", { path: "old.md" })).toBe("ask ask.destructive");
    expect(await decided("files.file.write", { path: "old.md", content: "" })).toMatch(/^ask /);
    rmSync(kept, { recursive: true });

    const { asks } = await house.run({ says: "Tidy up", calls: [["files.file.delete", { path: "old.md" }]] });
    expect(asks).toEqual([]);
    expect(readdirSync(kept)).toHaveLength(2);
  });
});

test("a folder that is synced to other places asks in every mode", async () => {
  const folder = join(house.home, "user", "synced");
  mkdirSync(folder, { recursive: true });
  await using synced = await openHousehold(
    model,
    `policy: { mode: trusting }\nfiles:\n  roots:\n    - { path: ${folder}, write: true, synced: true }\n`,
  );
  const { asks } = await synced.run({
    says: `Write hello to ${folder}/a.md.`,
    calls: [write(join(folder, "a.md"), "hello")],
  });
  expect(asks.map(({ rule }) => rule)).toEqual(["ask.synced-folder"]);
});
