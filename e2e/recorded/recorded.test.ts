import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER_PATH } from "../page-browser.ts";
import type { Delivered, Exchange, Turn } from "./exchange.ts";
import { EXCHANGES } from "./exchanges/index.ts";
import { RecordedScene } from "./recorded-scene.ts";

/** Set to 1, what is delivered becomes what is expected, unless it is misjudged; see README.md. */
const RECORD = process.env["ELWOOD_RECORD"] === "1";
const DELIVERED = fileURLToPath(new URL("./delivered/", import.meta.url));

describe("recorded exchanges", () => {
  test("every exchange has a name of its own, and every file belongs to one", () => {
    const ids = EXCHANGES.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(40);
    expect(readdirSync(DELIVERED).toSorted()).toEqual(ids.map((id) => `${id}.json`).toSorted());
  });
});

describe.skipIf(!BROWSER_PATH)(
  "recorded exchanges as delivered (ELWOOD_TEST_BROWSER names a browser)",
  () => {
    let scene: RecordedScene;
    beforeAll(async () => {
      mkdirSync(DELIVERED, { recursive: true });
      scene = await RecordedScene.start();
    });
    afterAll(async () => {
      await scene?.[Symbol.asyncDispose]();
    });

    test.for(EXCHANGES.map((exchange) => [exchange.id, exchange] as const))("%s", async ([, exchange]) => {
      const delivered = await scene.play(exchange);
      const problems = exchange.turns.flatMap((turn, index) => misjudged(turn, delivered[index]!));
      if (RECORD && (problems.length === 0 || !existsSync(fileOf(exchange)))) write(exchange, delivered);
      expect.soft(problems, exchange.about).toEqual([]);
      if (!RECORD) expect(delivered, exchange.about).toEqual(read(exchange));
    });

    test("the page showed them all without a fault", () => {
      expect(scene.faults).toEqual([]);
    });
  },
);

/** A true sentence that is marked, a lie that is not, a fact on record without its tick, a lap too many or too few. */
function misjudged({ laps, lies = [], ticked = [] }: Turn, { laps: asked, json }: Delivered): string[] {
  const textsOf = (verdict: string) =>
    json.segments.filter(({ verified }) => verified === verdict).map(({ text }) => text);
  const marked = textsOf("unsupported");
  const supported = textsOf("supported");
  const isIn = (texts: readonly string[]) => (part: string) => texts.some((text) => text.includes(part));
  return [
    ...marked
      .filter((text) => !lies.some((lie) => text.includes(lie)))
      .map((text) => `true, but marked: ${text}`),
    ...lies.filter((lie) => !isIn(marked)(lie)).map((lie) => `not true, but not marked: ${lie}`),
    ...ticked
      .filter((fact) => !isIn(supported)(fact))
      .map((fact) => `on record, but without a tick: ${fact}`),
    ...(asked === laps.length
      ? []
      : [`the model was asked ${asked} times, and ${laps.length} answers were written down`]),
  ];
}

function fileOf({ id }: Exchange): string {
  return `${DELIVERED}${id}.json`;
}

function read(exchange: Exchange): readonly Delivered[] {
  const file = fileOf(exchange);
  if (!existsSync(file))
    throw new Error(`Nothing was recorded for ${exchange.id}. Record it: ELWOOD_RECORD=1`);
  return JSON.parse(readFileSync(file, "utf8")) as Delivered[];
}

function write(exchange: Exchange, delivered: readonly Delivered[]): void {
  writeFileSync(fileOf(exchange), `${JSON.stringify(delivered, null, 2)}\n`);
}
