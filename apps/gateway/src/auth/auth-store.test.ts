import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { Log } from "@elwood/runtime/ports/ports";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, test } from "vitest";
import { testFolder } from "../../test/config/test-folder.ts";
import { acquireLock } from "@elwood/platform/lock";
import { systemClock } from "@elwood/platform/system";
import { openAuthStore, type AuthStore } from "./auth-store.ts";
import { secretRefOf, storedSecret, type AuthFile } from "./profile.ts";

const clock = new ManualClock({ autoAdvance: true });

function withKey(file: AuthFile, id: string): AuthFile {
  const [provider = ""] = id.split(":");
  return {
    ...file,
    profiles: [...file.profiles, { id, provider, type: "api_key", secretRef: secretRefOf(id), createdAt: 1 }],
    secrets: { ...file.secrets, [id]: storedSecret("api_key", `canary-${id}`) },
  };
}

const add = (store: AuthStore, id: string) =>
  store.change((file) => ({ file: withKey(file, id), result: undefined }));

async function refusal(work: Promise<unknown>): Promise<FailureError> {
  const cause = await work.catch((error: unknown) => error);
  if (!(cause instanceof FailureError)) throw new Error(`not refused: ${String(cause)}`);
  return cause;
}

test("OA-11: the store is one versioned file that only its owner can read, replaced whole", async () => {
  const f = testFolder();
  const path = join(f.root, "home", "auth-profiles.json");
  const store = openAuthStore(path, clock);
  expect(await store.read()).toEqual({ v: 1, profiles: [], order: {}, secrets: {} });
  await add(store, "anthropic:default");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
    v: 1,
    profiles: [{ id: "anthropic:default", secretRef: "auth-profiles.json#anthropic:default" }],
  });
  expect(readdirSync(join(f.root, "home")).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  expect((await openAuthStore(path, clock).read()).profiles).toHaveLength(1);
});

test.each([
  ["a torn file", '{"v": 1, "profiles": [{"id": "anthropic:canary-key-in-text'],
  ["a file of another form", '{"v": 1, "profiles": {"canary": 1}}'],
  ["a newer version", '{"v": 7, "canary": true}'],
  ["an empty file", ""],
  ["a list", '["canary"]'],
])("OA-9: %s is refused with words that never quote it, and stays as it is", async (_name, text) => {
  const f = testFolder();
  const path = f.write("home/auth-profiles.json", text);
  const store = openAuthStore(path, clock);
  // One after the other: a refusal that nobody listens to yet would end the process.
  for (const work of [() => store.read(), () => add(store, "anthropic:default")]) {
    const { failure } = await refusal(work());
    expect(failure.reason).toBe("STORAGE");
    expect(failure.message).toContain("It was left as it is");
    expect(failure.message).toContain("elwood auth");
    expect(failure.message).not.toContain("canary");
  }
  expect(readFileSync(path, "utf8")).toBe(text);
});

test("a file far larger than any list of keys is refused unread", async () => {
  const f = testFolder();
  const path = f.write("home/auth-profiles.json", " ".repeat(LIMITS.authFileBytesMax + 1));
  expect((await refusal(openAuthStore(path, clock).read())).message).toContain("is larger than 1024 KB");
});

test("a file that others can read is closed, and that is logged", async () => {
  const f = testFolder();
  const path = f.write("home/auth-profiles.json", '{"v":1,"profiles":[],"order":{},"secrets":{}}');
  chmodSync(path, 0o644);
  const warnings: string[] = [];
  const nothing = () => undefined;
  const log: Log = { error: nothing, info: nothing, debug: nothing, warn: (text) => warnings.push(text) };
  await openAuthStore(path, clock, log).read();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(warnings).toEqual([expect.stringContaining("it was closed (0600)")]);
});

test("fields that a later version added survive a change by this one", async () => {
  const f = testFolder();
  const path = f.write(
    "home/auth-profiles.json",
    '{"v":1,"profiles":[{"id":"a:b","provider":"a","type":"api_key","secretRef":"x","createdAt":1,"colour":"red"}],"order":{},"secrets":{},"more":[1]}',
  );
  await add(openAuthStore(path, clock), "anthropic:default");
  const kept = JSON.parse(readFileSync(path, "utf8")) as { more: unknown; profiles: { colour?: string }[] };
  expect(kept.more).toEqual([1]);
  expect(kept.profiles[0]?.colour).toBe("red");
});

test("two processes that change the file at once lose nothing of each other", async () => {
  const f = testFolder();
  const path = join(f.root, "home", "auth-profiles.json");
  const stores = [openAuthStore(path, systemClock), openAuthStore(path, systemClock)];
  const ids = Array.from({ length: 12 }, (_, i) => `anthropic:key${i}`);
  await Promise.all(ids.map((id, i) => add(stores[i % 2]!, id)));
  const file = await stores[0]!.read();
  expect(file.profiles.map((profile) => profile.id).sort()).toEqual([...ids].sort());
});

test("a change that another process made is seen by the next read", async () => {
  const f = testFolder();
  const path = join(f.root, "home", "auth-profiles.json");
  const [mine, theirs] = [openAuthStore(path, clock), openAuthStore(path, clock)];
  await add(mine, "anthropic:one");
  expect((await mine.read()).profiles).toHaveLength(1);
  await add(theirs, "anthropic:two");
  expect((await mine.read()).profiles).toHaveLength(2);
});

test("a lock that is never let go ends in words, not in a hang", async () => {
  const f = testFolder();
  const path = f.write("home/auth-profiles.json", '{"v":1,"profiles":[],"order":{},"secrets":{}}');
  const lock = acquireLock(`${path}.lock`);
  try {
    const { failure } = await refusal(add(openAuthStore(path, clock), "anthropic:default"));
    expect(failure.message).toContain("Another Elwood process");
    expect(failure.retryable).toBe(true);
  } finally {
    lock?.release();
  }
});
