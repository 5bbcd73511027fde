import { startScriptedAnthropic, type ScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHousehold } from "./test-household.ts";

let model: ScriptedAnthropic;
beforeAll(async () => {
  model = await startScriptedAnthropic();
});
afterAll(() => model[Symbol.asyncDispose]());

const ANNA = "anna@acme.example";
const send = (to: string, body = "Hello") =>
  ["mail.message.send", { to: [to], subject: "Hi", body }] as const;

test("strict asks for every write and every fetch, whoever said what", async () => {
  await using house = await openHousehold(model, "policy: { mode: strict }\n");
  const { asks } = await house.run({
    says: `Write to ${ANNA} and read https://news.example/.`,
    calls: [send(ANNA), ["site.page.read", { url: "https://news.example/" }], ["mail.message.list", {}]],
  });
  expect(asks.map(({ toolName, rule }) => [toolName, rule])).toEqual([
    ["mail.message.send", "mode.strict"],
    ["site.page.read", "mode.strict"],
  ]);
  expect(house.effects).toEqual([]);
});

test("a destination that was allowed by hand asks again, unless the owner wants it to count", async () => {
  await using house = await openHousehold(model);
  await house.run({ says: "Write to her.", calls: [send(ANNA)], decide: () => "allow" });
  const { asks } = await house.run({ says: "Write to her.", calls: [send(ANNA)] });
  expect(asks).toHaveLength(1);
});

test("known destinations: a place allowed by hand runs unasked, and only what the owner allowed", async () => {
  await using house = await openHousehold(model, "policy: { knownDestinations: true }\n");
  const write = (to: string, decide?: () => "allow", body?: string) =>
    house.run({ says: "Write to her.", calls: [send(to, body)], ...(decide ? { decide } : {}) });
  const allow = () => "allow" as const;

  expect((await write(ANNA)).asks).toHaveLength(1);
  expect((await write(ANNA)).asks, "a denial makes nothing known").toHaveLength(1);
  expect((await write(ANNA, allow)).asks).toHaveLength(1);
  expect((await write(ANNA)).asks, "now it is known").toEqual([]);
  expect(house.effects).toHaveLength(2);

  const explained = await house.client.call("policy.explain", {
    toolId: "mail.message.send",
    input: send(ANNA)[1],
    sessionKey: (await house.run({ says: "Hello.", calls: [] })).sessionKey,
  });
  expect(explained).toMatchObject({ decision: "allow", rule: "authority.known", layer: 5 });
  expect(explained.reason).toBe("You allowed the same before (to), and want that to count.");

  expect((await write("mallory@phish.example")).asks[0]?.rule).toBe("authority.value");
  const linked = await write(ANNA, undefined, "See www.phish.example/x");
  expect(linked.asks[0]?.rule, "what is in the text asks as before").toBe("authority.content");
  const shared = await house.run({
    says: "Share it.",
    calls: [["papers.file.share", { name: "a.pdf", who: ANNA, right: "rw" }]],
  });
  expect(shared.asks, "what one tool may, another may not").toHaveLength(1);
});

test("known destinations: destructive calls ask every time", async () => {
  await using house = await openHousehold(model, "policy: { knownDestinations: true }\n");
  const unlock = { says: "Unlock it.", calls: [["home.door.unlock", { door: "garden" }]] } as const;
  await house.run({ ...unlock, decide: () => "allow" });
  const { asks } = await house.run(unlock);
  expect(asks.map(({ rule }) => rule)).toEqual(["ask.destructive"]);
  expect(house.effects).toHaveLength(1);
});

test("known destinations: a permission that was revoked is known no more", async () => {
  await using house = await openHousehold(model, "policy: { knownDestinations: true }\n");
  const { client } = house;
  const asked = Promise.withResolvers<string>();
  const deaf = client.onPush((push) => {
    if (push.event === "exec.approval_request")
      asked.resolve((push.data as { approvalId: string }).approvalId);
  });
  const { sessionKey } = await client.call("sessions.create", {});
  await client.call("chat.send", {
    sessionKey,
    message: "Write to her.",
    model: `anthropic/${model.play([send(ANNA)])}`,
  });
  await client.call("exec.approve", { approvalId: await asked.promise, decision: "always" });
  deaf();
  const { grants } = await client.call("grants.list", {});
  for (const { grantId } of grants) await client.call("grants.revoke", { grantId });
  const { asks } = await house.run({ says: "Write to her.", calls: [send(ANNA)] });
  expect(asks).toHaveLength(1);
});

test("the mode is tightened at once, loosened only by who may approve and means it, and each switch is on record", async () => {
  await using house = await openHousehold(model);
  const { client } = house;
  expect(await client.call("policy.mode", {})).toMatchObject({ mode: "balanced", previous: "balanced" });
  await expect(client.call("policy.mode", { mode: "trusting" })).rejects.toThrow("confirm");
  expect((await client.call("policy.mode", { mode: "strict" })).mode).toBe("strict");
  const { asks } = await house.run({ says: `Write to ${ANNA}.`, calls: [send(ANNA)] });
  expect(asks.map(({ rule }) => rule)).toEqual(["mode.strict"]);
  expect(await client.call("policy.mode", { mode: "trusting", confirm: true })).toEqual({
    mode: "trusting",
    previous: "strict",
    kept: true,
  });
  expect(readFileSync(join(house.home, "config.yaml"), "utf8")).toMatch(/^ {2}mode: trusting(?: #.*)?$/m);
  const { receipts } = await client.call("receipts.list", { types: ["policy.changed"], limit: 10 });
  expect(receipts.map(({ payload }) => payload)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ what: "mode", mode: "strict", previous: "balanced" }),
      expect.objectContaining({ what: "mode", mode: "trusting", previous: "strict" }),
    ]),
  );
  const explain = (toolId: string, input: unknown) => client.call("policy.explain", { toolId, input });
  expect(await explain("files.file.write", { path: "a.txt", content: "x" })).toMatchObject({
    decision: "allow",
    rule: "mode.trusting",
  });
  expect((await explain("files.file.write", { path: "Makefile", content: "x" })).decision).toBe("ask");
  expect((await explain("mail.message.send", send(ANNA)[1])).decision).toBe("ask");
});

test("a call is explained with the clause, the values and the condition that failed, for words that nobody sent", async () => {
  await using house = await openHousehold(model);
  const explain = (typed: string) =>
    house.client.call("policy.explain", { toolId: "mail.message.send", input: send(ANNA)[1], typed });
  expect(await explain(`Write to ${ANNA}.`)).toMatchObject({
    decision: "allow",
    rule: "authority",
    clause: `Write to ${ANNA}.`,
    values: [`to: ${ANNA}`],
  });
  expect(await explain(`Did you write to ${ANNA}?`)).toMatchObject({
    decision: "ask",
    rule: "authority.question",
    clause: `Did you write to ${ANNA}?`,
  });
});
