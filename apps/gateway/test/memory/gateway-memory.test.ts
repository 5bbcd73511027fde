import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isPush, GatewayClient } from "@elwood/sdk/client";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Gateway } from "../../src/gateway.ts";
import { startTestGateway } from "../test-gateway.ts";
import { filesOf, found } from "@elwood/memory/index/test-index-scene";

async function ownerOf({ url, ownerToken: token }: Gateway): Promise<GatewayClient> {
  const client = await GatewayClient.connect({ url, token });
  onTestFinished(() => client.close());
  return client;
}

/** Resolves with the final push: the moment at which a client may ask for it elsewhere. */
async function say(client: GatewayClient, sessionKey: string, message: string): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    const off = client.onPush((push) => {
      if (!isPush(push, "chat.final") && !isPush(push, "chat.error")) return;
      off();
      resolve();
    });
  });
  await client.call("chat.send", { sessionKey, message });
  await ended;
}

async function indexOf(gateway: Gateway) {
  const index = await gateway.memory.index();
  if (!index) throw new Error("there is no index");
  return index;
}

describe("memory of a running gateway", () => {
  test("what was said in one session is found from another at once", async () => {
    await using started = await startTestGateway();
    const owner = await ownerOf(started.gateway);
    const index = await indexOf(started.gateway);
    await index.start();
    const { sessionKey } = await owner.call("sessions.create", {});
    for (const word of ["saxophone", "accordion", "bassoon"]) {
      await say(owner, sessionKey, `I have played the ${word} since 2011`);
      expect(await found(index, word)).toContain(`I have played the ${word} since 2011`);
    }
    expect(index.status().behind).toBe(0);
  });

  test("a deleted session is not found, a restored one is", async () => {
    await using started = await startTestGateway();
    const owner = await ownerOf(started.gateway);
    const index = await indexOf(started.gateway);
    const { sessionKey } = await owner.call("sessions.create", {});
    await say(owner, sessionKey, "The spare key hangs in the boiler room");
    expect(await found(index, "spare key boiler")).not.toEqual([]);
    await owner.call("sessions.delete", { sessionKey });
    expect(await found(index, "spare key boiler")).toEqual([]);
    await owner.call("sessions.restore", { sessionKey });
    expect(await found(index, "spare key boiler")).not.toEqual([]);
  });

  test("a start opens nothing, and a restart finds everything again", async () => {
    const home = mkdtempSync(join(tmpdir(), "elwood-gateway-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const said = "The tandem needs a new chain";
    {
      await using started = await startTestGateway({ home });
      expect(existsSync(join(home, "memory.db"))).toBe(false);
      const owner = await ownerOf(started.gateway);
      const { sessionKey } = await owner.call("sessions.create", {});
      await say(owner, sessionKey, said);
      expect(await found(await indexOf(started.gateway), "tandem chain")).toContain(said);
      expect(statSync(join(home, "memory.db")).mode & 0o077).toBe(0);
    }
    await using again = await startTestGateway({ home });
    expect(await found(await indexOf(again.gateway), "tandem chain")).toContain(said);
  });

  test("secrets are taken out before anything is indexed", async () => {
    const token = "hunter-own-secret-value-77";
    const key = `ghp_${"a1B2".repeat(9)}`;
    await using started = await startTestGateway({ env: { ELWOOD_TOKEN: token } });
    const index = await indexOf(started.gateway);
    // A file that somebody wrote by hand: nothing has looked for secrets in it before.
    const { say: sayInFile, write } = filesOf(started.home);
    sayInFile("ses_hand", `the lighthouse key is ${key} and the other is ${token}`);
    write("keys", `# Keys\n- lighthouse token: ${key}\n`);
    await index.sweep();
    expect((await found(index, "lighthouse")).toSorted()).toEqual([
      "Keys: lighthouse token: [redacted github-token]",
      "the lighthouse key is [redacted github-token] and the other is [redacted]",
    ]);
    for (const file of ["memory.db", "memory.db-wal"]) {
      const bytes = readFileSync(join(started.home, file)).toString("latin1").toLowerCase();
      expect(bytes).not.toContain("a1b2a1b2");
      expect(bytes).not.toContain("hunter");
    }
  });

  test("where the owner turned it off, there is no index", async () => {
    await using started = await startTestGateway({ config: "memory:\n  enabled: false\n" });
    expect(await started.gateway.memory.index()).toBeUndefined();
    expect(existsSync(join(started.home, "memory.db"))).toBe(false);
  });
});
