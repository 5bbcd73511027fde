import { describe, expect, test } from "vitest";
import { LIMITS } from "@elwood/core/base/limits";
import type { WireSession } from "@elwood/core/protocol/shapes";
import { reporting } from "./failure-text.ts";
import { EXIT } from "./io.ts";
import type { SessionsDeps } from "./sessions-command.ts";
import { deleteSession, listDeleted, restoreSession } from "./sessions-trash.ts";
import { TEST_NOW, testGateway, wireSession } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";

const SESSION = wireSession({ sessionKey: "ses_01k9zzzzzzbbbbbbbbbbbbbbb2", title: "Tax letter" });
const PURGE_AT = TEST_NOW + LIMITS.trashKeptMs;

async function gateway(trash: readonly WireSession[] = []) {
  const { client, calls } = await testGateway({
    "sessions.list": ({ deleted }) => ({ sessions: deleted ? [...trash] : [SESSION] }),
    "sessions.delete": () => ({ ok: true, purgeAt: PURGE_AT }),
    "sessions.restore": ({ sessionKey }) => ({ session: { ...SESSION, sessionKey } }),
  });
  const deps: SessionsDeps = { client, clock: { now: () => TEST_NOW }, timeZone: "UTC" };
  const methods = () => calls.map((call) => call.method);
  const restored = () =>
    calls.filter((call) => call.method === "sessions.restore").map((call) => call.params);
  return { deps, calls, methods, restored };
}

describe("sessions delete", () => {
  test("asks first, and says how long and how it can be brought back", async () => {
    const { deps, methods } = await gateway();
    const io = testIo({ tty: true });
    io.type("y\n");
    expect(await deleteSession(io, deps, { session: "tax", yes: false, json: false })).toBe(EXIT.ok);
    expect(io.err()).toContain('Delete "Tax letter" (2 messages, last used 5 min ago)? [y/N]');
    expect(io.out()).toContain("For 30 days, until Tue 2026-12-15 09:00");
    expect(io.out()).toContain(`elwood sessions restore ${SESSION.sessionKey}`);
    expect(methods()).toContain("sessions.delete");
  });

  test.each(["n\n", "\n", "yep\n"])("takes %j for a no and deletes nothing", async (answer) => {
    const { deps, methods } = await gateway();
    const io = testIo({ tty: true });
    io.type(answer);
    expect(await deleteSession(io, deps, { session: "tax", yes: false, json: false })).toBe(EXIT.denied);
    expect(io.err()).toContain("Nothing was deleted.");
    expect(methods()).not.toContain("sessions.delete");
  });

  test("takes the end of input for a no", async () => {
    const { deps, methods } = await gateway();
    const io = testIo({ tty: true });
    io.hangUp();
    expect(await deleteSession(io, deps, { session: "tax", yes: false, json: false })).toBe(EXIT.denied);
    expect(methods()).not.toContain("sessions.delete");
  });

  test("is interrupted by Ctrl-C at the question", async () => {
    const { deps, methods } = await gateway();
    const io = testIo({ tty: true });
    io.type("\u0003");
    const code = await reporting(io, false, () =>
      deleteSession(io, deps, { session: "tax", yes: false, json: false }),
    );
    expect(code).toBe(EXIT.interrupted);
    expect(methods()).not.toContain("sessions.delete");
  });

  test("refuses without --yes where nobody can be asked", async () => {
    const { deps, methods } = await gateway();
    const io = testIo();
    const code = await reporting(io, false, () =>
      deleteSession(io, deps, { session: "tax", yes: false, json: false }),
    );
    expect(code).toBe(EXIT.usage);
    expect(io.err()).toContain("add --yes");
    expect(methods()).not.toContain("sessions.delete");
  });

  test("with --yes asks nobody", async () => {
    const { deps } = await gateway();
    const io = testIo();
    expect(await deleteSession(io, deps, { session: "tax", yes: true, json: true })).toBe(EXIT.ok);
    expect(io.json()).toEqual({
      deleted: SESSION.sessionKey,
      purgeAt: PURGE_AT,
      restore: `elwood sessions restore ${SESSION.sessionKey}`,
    });
    expect(io.err()).toBe("");
  });
});

describe("sessions restore", () => {
  const deleted = (tail: string, title: string) => {
    const sessionKey = `ses_01k9zzzzzzcccccccccccc${tail}`;
    return wireSession({ sessionKey, title, deletedAt: TEST_NOW - 86_400_000 });
  };

  test("takes a whole key without looking into the trash", async () => {
    const { deps, calls } = await gateway();
    const io = testIo();
    await restoreSession(io, deps, { session: SESSION.sessionKey, json: false });
    expect(calls).toEqual([{ method: "sessions.restore", params: { sessionKey: SESSION.sessionKey } }]);
    expect(io.out()).toBe('"Tax letter" is back.\n');
  });

  test("finds a deleted session by the end of its key or words of its title", async () => {
    const { deps, restored } = await gateway([deleted("0001", "Boats"), deleted("0002", "Trains")]);
    await restoreSession(testIo(), deps, { session: "c0001", json: false });
    await restoreSession(testIo(), deps, { session: "TRAIN", json: false });
    expect(restored()).toEqual([
      { sessionKey: deleted("0001", "").sessionKey },
      { sessionKey: deleted("0002", "").sessionKey },
    ]);
  });

  test("does nothing when two are meant, or none", async () => {
    const { deps, restored } = await gateway([deleted("0001", "Boats"), deleted("0002", "Boat house")]);
    const io = testIo();
    const restore = (session: string) =>
      reporting(io, false, () => restoreSession(io, deps, { session, json: false }));
    expect(await restore("boat")).toBe(EXIT.usage);
    expect(io.err()).toContain("fits 2 deleted sessions");
    expect(await restore("plane")).toBe(EXIT.failed);
    expect(io.err()).toContain("elwood sessions list --deleted");
    expect(restored()).toEqual([]);
  });

  test("the trash can be listed, with the day until which each is kept", async () => {
    const { deps } = await gateway([deleted("0001", "Boats")]);
    const io = testIo();
    await listDeleted(io, deps, { json: false });
    expect(io.out()).toContain("cccc0001  Boats  1 day ago  Mon 2026-12-14 09:00");
    const empty = testIo();
    await listDeleted(empty, (await gateway()).deps, { json: false });
    expect(empty.out()).toContain("The trash is empty");
  });
});
