import { createHash } from "node:crypto";
import { LIMITS } from "@elwood/core/base/limits";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryChannels } from "@elwood/testkit/memory-channels";
import { failsWith } from "@elwood/testkit/store-script";
import { expect, test } from "vitest";
import { PairingService } from "./pairing.ts";

function world() {
  const clock = new ManualClock();
  const { pairings, channelStates } = memoryChannels();
  let n = 0;
  const pairing = new PairingService({
    tenant: "default",
    pairings,
    channelStates,
    clock,
    hash: (text) => createHash("sha256").update(text).digest("hex"),
    random: (bytes) =>
      createHash("sha256")
        .update(`${(n += 1)}`)
        .digest()
        .subarray(0, bytes),
  });
  const asks = async (id: string, name = "Mia") => {
    const code = pairing.makeCode();
    await pairing.ask("telegram", { id, name }, code);
    return code;
  };
  return { clock, pairing, pairings, asks };
}

test("EL-7: a code lets the one in who asked, once, and is stored as a hash only", async () => {
  const { pairing, pairings, asks } = world();
  const code = await asks("7");
  expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/);
  expect(JSON.stringify(await pairings.list("default"))).not.toContain(code);
  expect(await pairing.isPaired("telegram", "7")).toBe(false);
  expect(await pairing.approve(` ${code.toLowerCase().slice(0, 4)}-${code.slice(4)} `)).toMatchObject({
    senderId: "7",
    state: "paired",
  });
  expect(await pairing.isPaired("telegram", "7")).toBe(true);
  expect(await pairing.isPaired("telegram", "8")).toBe(false);
  expect(await pairing.isPaired("discord", "7")).toBe(false);
  await expect(pairing.approve(code)).rejects.toMatchObject(failsWith("NOT_FOUND"));
  expect(await pairing.remove("telegram", "7")).toBe(true);
  expect(await pairing.isPaired("telegram", "7")).toBe(false);
});

test("a code counts for ten minutes", async () => {
  const { clock, pairing, asks } = world();
  const code = await asks("7");
  await clock.advance(LIMITS.pairingCodeMs);
  await expect(pairing.approve(code)).rejects.toMatchObject(failsWith("NOT_FOUND"));
  expect(await pairing.list()).toEqual([]);
});

test("after five wrong codes every open code is void", async () => {
  const { pairing, asks } = world();
  const code = await asks("7");
  for (let i = 1; i < LIMITS.pairingTriesMax; i++)
    await expect(pairing.approve("WRONGONE")).rejects.toMatchObject(failsWith("NOT_FOUND"));
  await expect(pairing.approve("WRONGONE")).rejects.toMatchObject(failsWith("TOO_MANY_ATTEMPTS"));
  await expect(pairing.approve(code)).rejects.toMatchObject(failsWith("NOT_FOUND"));
  const next = await asks("7");
  expect(await pairing.approve(next)).toMatchObject({ state: "paired" });
});

test("one who has a code is not given another, and a flood of strangers fills nothing", async () => {
  const { clock, pairing, asks } = world();
  await asks("7");
  expect(await pairing.mayAsk("telegram", "7")).toBe(false);
  for (let i = 0; i < LIMITS.pairingsAskedMax; i++) await asks(`s${i}`);
  expect(await pairing.mayAsk("telegram", "8")).toBe(false);
  expect(await pairing.mayAsk("discord", "8")).toBe(true);
  await clock.advance(LIMITS.pairingCodeMs);
  expect(await pairing.mayAsk("telegram", "7")).toBe(true);
  await asks("9");
  expect(await pairing.list()).toHaveLength(1);
});
