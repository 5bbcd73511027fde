import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Handover } from "@elwood/core/model/model";
import { makeModels } from "@elwood/providers/models";
import {
  ANTHROPIC_ROUTE,
  anthropic,
  startAnthropic,
  type AnthropicServer,
} from "@elwood/testkit/anthropic-server";
import { listen, requestOf } from "@elwood/testkit/contract-request";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { testAuthService } from "../../test/auth/test-credentials.ts";
import { keyRing } from "./key-ring.ts";

const MODEL = "anthropic/claude-sonnet-5-5";
const quiet = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

/** What each key gets, one after another; then it works. */
type Storm = Record<string, { status: number; after?: string }[]>;

let server: AnthropicServer;
let storm: Storm = {};
let asked: string[] = [];

beforeAll(async () => {
  server = await startAnthropic();
  server.always(ANTHROPIC_ROUTE, (exchange) => {
    const { headers } = exchange.request;
    const key = headers["x-api-key"] ?? (headers["authorization"] ?? "").replace("Bearer ", "");
    asked.push(key);
    const next = storm[key]?.shift();
    if (next === undefined) return anthropic.reply(`by ${key}`)(exchange);
    const later: Record<string, string> = next.after === undefined ? {} : { "retry-after": next.after };
    return anthropic.error(next.status, { headers: later })(exchange);
  });
});
afterAll(() => server.close());
beforeEach(() => {
  storm = {};
  asked = [];
});

async function scene(
  names: readonly string[],
  options: { env?: Record<string, string>; fallback?: string[] } = {},
) {
  const made = await testAuthService(pacedClock(), {
    config: `providers:\n  anthropic:\n    baseUrl: ${server.url}\n  spare:\n    baseUrl: ${server.url}\n    api: anthropic\n`,
    ...(options.env ? { env: options.env } : {}),
  });
  const { credentials, clock, authService } = made;
  for (const name of names) await authService.set({ provider: "anthropic", name, secret: `canary-${name}` });
  const models = makeModels({
    clock,
    random: () => 0,
    credentials: credentials.lookup,
    keys: keyRing(credentials, { clock, log: quiet }),
    endpoint: (provider) => credentials.endpoint(provider),
    ...(options.fallback ? { fallbackModels: options.fallback } : {}),
  });
  const ask = async (session = "ses_1", profile?: string) => {
    const found = await models.resolve(MODEL, profile);
    if (!found.ok) return { text: found.error.reason, failure: found.error, handovers: [] };
    const heard = await listen(
      found.value.provider,
      requestOf({ model: found.value.ref.model, cacheKey: session }),
    );
    const handovers = heard.retries.flatMap(({ handover }): Handover[] => (handover ? [handover] : []));
    const failure = heard.last.type === "failed" ? heard.last.failure : undefined;
    return { text: failure?.reason ?? heard.text, failure, handovers, by: heard.last.answeredBy };
  };
  return { ...made, ask };
}

/** Pauses between two tries pass at once; the limits on an answer do not. */
function pacedClock() {
  const clock = new ManualClock();
  return {
    now: () => clock.now(),
    advance: (ms: number) => clock.advance(ms),
    sleep: (ms: number, signal?: AbortSignal) => (ms <= 10_000 ? clock.advance(ms) : clock.sleep(ms, signal)),
  };
}

const SECOND = 1_000;
const HOUR = 3_600_000;

for (const [status, why, restMs] of [
  [401, "AUTH", 30 * SECOND],
  [402, "BILLING", 5 * HOUR],
  [429, "RATE_LIMITED", 30 * SECOND],
  [529, "OVERLOADED", 30 * SECOND],
] as const)
  test(`OA-10: a key that gets ${status} rests, and the next one takes over within the same request`, async () => {
    const { ask, credentials, clock } = await scene(["work", "home"]);
    storm = { "canary-work": [{ status }] };
    const at = clock.now();
    const answer = await ask();
    expect(answer.text).toBe("by canary-home");
    expect(asked).toEqual(["canary-work", "canary-home"]);
    expect(answer.handovers).toEqual([
      {
        from: "anthropic:work",
        to: "anthropic:home",
        fromModel: MODEL,
        toModel: MODEL,
        why,
        restsUntil: at + restMs,
      },
    ]);
    expect(answer.by?.profile).toBe("anthropic:home");
    expect((await credentials.list())[0]).toMatchObject({ cooldownUntil: at + restMs, cooldownReason: why });
  });

test("OA-10: three keys in a storm are tried once each, and the last failure is told with their number", async () => {
  const { ask } = await scene(["a", "b", "c"]);
  const every = (n: number) => Array.from({ length: n }, () => ({ status: 401 }));
  storm = { "canary-a": [{ status: 429 }], "canary-b": [{ status: 402 }], "canary-c": every(9) };
  const answer = await ask();
  expect(asked).toEqual(["canary-a", "canary-b", "canary-c"]);
  expect(answer.text).toBe("AUTH");
  expect(answer.failure?.message).toContain("3 keys or models were tried.");
  // All of them rest now, and nobody is asked.
  expect(await ask()).toMatchObject({ text: "RATE_LIMITED" });
  expect(asked).toHaveLength(3);
});

test("OA-10: what the provider says of its pause counts, a short one is waited out, and pauses grow until it works", async () => {
  const { ask, credentials, clock } = await scene(["work", "home"]);
  /** Asks, and answers how long the key rests then. */
  const rests = async (session: string) => {
    const before = clock.now();
    await ask(session);
    return ((await credentials.list())[0]?.cooldownUntil ?? 0) - before;
  };
  storm = { "canary-work": [{ status: 429, after: "1" }] };
  expect(await ask()).toMatchObject({ text: "by canary-work", handovers: [] });
  storm = { "canary-work": [{ status: 429, after: "900" }] };
  expect(await rests("ses_2")).toBe(900 * SECOND);
  await clock.advance(900 * SECOND);
  for (const [i, expected] of [60, 300, 900, 3600, 3600].entries()) {
    storm = { "canary-work": [{ status: 529 }] };
    expect(await rests(`ses_grow_${i}`)).toBe(expected * SECOND);
    await clock.advance(expected * SECOND);
  }
  await ask("ses_well");
  expect((await credentials.list())[0]).not.toHaveProperty("cooldownUntil");
});

test("OA-10: a conversation stays with the key that answered it, until the owner prefers another", async () => {
  const { ask, authService, clock } = await scene(["work", "home"]);
  storm = { "canary-work": [{ status: 429 }] };
  await ask();
  await clock.advance(60 * SECOND);
  expect((await ask()).text).toBe("by canary-home");
  expect((await ask("ses_other")).text).toBe("by canary-work");
  await authService.prefer("anthropic:work");
  expect((await ask()).text).toBe("by canary-work");
  storm = { "canary-work": [{ status: 429 }] };
  expect((await ask()).text).toBe("by canary-home");
  await clock.advance(2 * HOUR);
  expect((await ask()).text).toBe("by canary-work");
});

test("OA-9: a profile that was chosen pays alone, and one of another provider is refused in words", async () => {
  const { ask, authService } = await scene(["work", "home"], { fallback: ["spare/other"] });
  storm = { "canary-home": Array.from({ length: 9 }, () => ({ status: 401 })) };
  const answer = await ask("ses_1", "anthropic:home");
  expect(answer).toMatchObject({ text: "AUTH", handovers: [] });
  expect(new Set(asked)).toEqual(new Set(["canary-home"]));
  await authService.set({ provider: "spare", secret: "canary-spare" });
  expect((await ask("ses_1", "spare:default")).failure?.message).toContain(
    "is of spare, while the model is of",
  );
});

test("OA-10: after its keys a model is followed by those that take its place, and a lone key does not rest", async () => {
  const { ask, credentials, clock } = await scene(["only"], { fallback: ["spare/other"] });
  storm = { "canary-only": [{ status: 402 }] };
  const answer = await ask();
  expect(answer.by?.ref).toEqual({ provider: "spare", model: "other" });
  expect(answer.handovers[0]).toMatchObject({
    from: "anthropic:only",
    toModel: "spare/other",
    why: "BILLING",
  });
  // The next lap goes there at once, and that is told once.
  asked = [];
  expect((await ask()).handovers).toEqual([]);
  expect(asked).toEqual(["none"]);
  await clock.advance(5 * HOUR);
  const alone = await scene(["only"]);
  storm = { "canary-only": [{ status: 402 }] };
  await alone.ask();
  expect((await alone.credentials.list())[0]).not.toHaveProperty("cooldownUntil");
  expect((await alone.ask()).text).toBe("by canary-only");
  expect((await credentials.list()).length).toBe(1);
});

test("OA-10: a key of the environment takes over from a stored one", async () => {
  const { ask, credentials, clock } = await scene(["work"], { env: { ANTHROPIC_API_KEY: "canary-env" } });
  const used = async () =>
    (await credentials.list()).find(({ id }) => id === "environment:ANTHROPIC_API_KEY")?.lastUsedAt;
  storm = { "canary-work": [{ status: 401 }] };
  expect(await used()).toBeUndefined();
  expect((await ask()).text).toBe("by canary-env");
  expect(asked).toEqual(["canary-work", "canary-env"]);
  // The list says that it answered, though nothing of it is stored.
  expect(await used()).toBe(clock.now());
});

test("OA-9: access that ran out is renewed once for all who need it, is stored before it is used, and is renewed on a refusal", async () => {
  const grants: string[] = [];
  const tokens = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString("utf8")));
    request.on("end", () => {
      const refresh = new URLSearchParams(body).get("refresh_token") ?? "";
      grants.push(refresh);
      const fits = refresh === `canary-refresh-${grants.length}`;
      const n = grants.length + 1;
      response.writeHead(fits ? 200 : 400, { "content-type": "application/json" });
      response.end(
        JSON.stringify(
          fits
            ? { access_token: `canary-access-${n}`, refresh_token: `canary-refresh-${n}`, expires_in: 3600 }
            : { error: "invalid_grant" },
        ),
      );
    });
  });
  await new Promise<void>((ready) => tokens.listen(0, "127.0.0.1", ready));
  onTestFinished(() => void tokens.close());
  const tokenUrl = `http://127.0.0.1:${(tokens.address() as AddressInfo).port}/token`;
  const { ask, authService, clock, folder, learned } = await scene([]);
  const saved = await authService.setOAuth({
    provider: "anthropic",
    refresh: "canary-refresh-1",
    tokenUrl,
    clientId: "elwood-test",
  });
  expect(saved.profile).toMatchObject({ id: "anthropic:oauth", type: "oauth" });
  expect((await ask()).text).toBe("by canary-access-2");
  await clock.advance(HOUR);
  const answers = await Promise.all([ask("s1"), ask("s2"), ask("s3")]);
  expect(answers.map(({ text }) => text)).toEqual(Array.from({ length: 3 }, () => "by canary-access-3"));
  expect(grants).toEqual(["canary-refresh-1", "canary-refresh-2"]);
  const path = join(folder.root, "home/auth-profiles.json");
  expect(readFileSync(path, "utf8")).toContain("canary-refresh-3");
  storm = { "canary-access-3": [{ status: 401 }] };
  expect((await ask()).text).toBe("by canary-access-4");
  expect(learned).toContain("canary-access-2");
  // A refresh token that is void: the failure is the provider's own, in words.
  writeFileSync(path, readFileSync(path, "utf8").replaceAll("canary-refresh-4", "canary-refresh-stolen"));
  storm = { "canary-access-4": [{ status: 401 }] };
  expect((await ask()).text).toBe("AUTH");
});

test("the file of keys is looked at once for each request, and for a key from outside no more", async () => {
  const made = await testAuthService(pacedClock(), { env: { ANTHROPIC_API_KEY: "canary-outside" } });
  const { credentials, clock, authService } = made;
  let reads = 0;
  const unwatched = { ...credentials.store };
  const read = () => {
    reads += 1;
    return unwatched.read();
  };
  Object.assign(credentials.store, { read });
  const ring = keyRing(credentials, { clock, log: quiet });
  const countOf = async (session: string | undefined) => {
    reads = 0;
    const found = await ring.usable("anthropic", { session });
    const looks = [reads];
    reads = 0;
    if (found.ok && found.value[0]) await ring.worked(found.value[0], session);
    return [...looks, reads];
  };
  expect(await countOf("session")).toEqual([1, 0]);
  await authService.set({ provider: "anthropic", name: "own", secret: "canary-own" });
  await countOf("session");
  expect(await countOf("session")).toEqual([1, 1]);
});
