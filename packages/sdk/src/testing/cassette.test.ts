import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Assistant } from "../assistant/assistant.ts";
import { text } from "../model-script/steps.ts";
import { Cassette } from "./cassette.ts";
import { MemoryEngine } from "./memory-engine.ts";
import { ScriptedModel } from "./scripted-model.ts";

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "elwood-cassette-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "deep", "answers.json");
}

const asking = (model: ConstructorParameters<typeof MemoryEngine>[0]["model"]) =>
  new Assistant({
    id: "a",
    name: "A",
    role: "",
    personality: "",
    tools: [],
    coreEngineClient: new MemoryEngine({ model }),
  });

test("answers are recorded once and played from then on, without the model", async () => {
  const path = temporary();
  const first = new Cassette(path, { env: {} });
  expect(first.recorded).toBe(false);
  const real = new ScriptedModel([text("Twelve are left.")]);
  expect((await asking(first.over(real)).ask("How many?")).text).toBe("Twelve are left.");
  first.save();
  const second = new Cassette(path, { env: {} });
  expect((await asking(second.over(undefined)).ask("How many?")).text).toBe("Twelve are left.");
  second.assertComplete();
  expect(real.requests).toHaveLength(1);
});

test("no secret is written: those that are named, those of the environment, and what looks like a key", async () => {
  const path = temporary();
  const key = `sk-ant-api03-${"Ab3".repeat(20)}`;
  const cassette = new Cassette(path, {
    secrets: ["hunter22-hunter22"],
    env: { SHOP_TOKEN: "tulip-token-99" },
  });
  const model = new ScriptedModel([text(`You said hunter22-hunter22, tulip-token-99 and ${key}.`)]);
  await asking(cassette.over(model)).ask(`My password is hunter22-hunter22, the key ${key}.`);
  cassette.save();
  const written = readFileSync(path, "utf8");
  for (const secret of ["hunter22-hunter22", "tulip-token-99", key]) expect(written).not.toContain(secret);
  // And it still plays: what is compared is compared without them.
  const again = new Cassette(path, { secrets: ["hunter22-hunter22"], env: { SHOP_TOKEN: "tulip-token-99" } });
  const played = await asking(again.over(undefined)).ask(`My password is hunter22-hunter22, the key ${key}.`);
  expect(played.text).toContain("You said");
});

test("another question, one too many and one too few fail; a file that is none is told", async () => {
  const path = temporary();
  const first = new Cassette(path, { env: {} });
  await asking(first.over(new ScriptedModel([text("Hello.")]))).ask("hi");
  first.save();
  const other = new Cassette(path, { env: {} });
  expect(() => other.assertComplete()).toThrow(/1 of 1 recorded answers/);
  await expect(asking(other.over(undefined)).ask("bye")).rejects.toThrow(/something else than was recorded/);
  const twice = new Cassette(path, { env: {} });
  const assistant = asking(twice.over(undefined));
  await assistant.ask("hi");
  await expect(assistant.ask("hi")).rejects.toThrow(/more often than was recorded/);
  expect(() => new Cassette(temporary(), { env: {} }).over(undefined)).toThrow(/nothing to play/);
  writeFileSync(path, "{}");
  expect(() => new Cassette(path)).toThrow(/no cassette/);
});
