import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GatewayClient, isPush } from "@elwood/sdk/client";
import { onTestFinished } from "vitest";
import type { Gateway } from "../../src/gateway.ts";
import { startTestGateway } from "../test-gateway.ts";

export interface ForgetScene {
  readonly home: string;
  readonly gateway: Gateway;
  readonly owner: GatewayClient;
  /** Resolves with the reply. Calls that ask are allowed. */
  readonly say: (sessionKey: string, message: string, parts?: readonly unknown[]) => Promise<string>;
  readonly session: () => Promise<string>;
  /** Files below the state directory whose bytes hold the word, in any case. */
  readonly holders: (word: string) => string[];
}

/** A whole gateway that talks in demo mode. Whoever brings a folder closes it, too. */
export async function forgetScene(
  options: { readonly home?: string; readonly config?: string } = {},
): Promise<ForgetScene & { readonly close: () => Promise<void> }> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), "elwood-forget-"));
  if (options.home === undefined)
    onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));
  const started = await startTestGateway({
    home,
    ...(options.config === undefined ? {} : { config: options.config }),
  });
  const { gateway } = started;
  const { url, ownerToken: token } = gateway;
  const owner = await GatewayClient.connect({ url, token });
  owner.onPush((push) => {
    if (isPush(push, "exec.approval_request"))
      void owner.call("exec.approve", { approvalId: push.data.approvalId });
  });
  let open = true;
  const close = async () => {
    if (!open) return;
    open = false;
    await owner.close();
    await started[Symbol.asyncDispose]();
  };
  if (options.home === undefined) onTestFinished(close);
  return {
    home,
    gateway,
    owner,
    close,
    async session() {
      return (await owner.call("sessions.create", {})).sessionKey;
    },
    async say(sessionKey, message, parts) {
      const ended = Promise.withResolvers<string>();
      const off = owner.onPush((push) => {
        if (!isPush(push, "chat.final") && !isPush(push, "chat.error")) return;
        if (push.data.sessionKey !== sessionKey) return;
        off();
        ended.resolve(push.data.text);
      });
      await owner.call("chat.send", { sessionKey, message, ...(parts ? { parts: parts as never } : {}) });
      return ended.promise;
    },
    holders: (word) => holders(home, word),
  };
}

/** As `grep -ria` would, without any of the code that is tested. */
export function holders(home: string, word: string): string[] {
  const wanted = Buffer.from(word.toLowerCase()).toString("latin1");
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).toString("latin1").toLowerCase().includes(wanted))
    .map((path) => path.slice(home.length + 1))
    .sort();
}
