import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { WireSession } from "@elwood/core/protocol/shapes";
import type { GatewayClient } from "@elwood/sdk/client";

/** A session by its key, the beginning of its key, or words of its title; one must be meant, not two. */
export async function findSession(client: Pick<GatewayClient, "call">, wanted: string): Promise<WireSession> {
  const sessions = await allSessions(client);
  const exact = sessions.find((s) => s.sessionKey === wanted);
  if (exact) return exact;
  const byKey = sessions.filter((s) => s.sessionKey.startsWith(wanted) || s.sessionKey.endsWith(wanted));
  const matches =
    byKey.length > 0 ? byKey : sessions.filter((s) => s.title.toLowerCase().includes(wanted.toLowerCase()));
  if (matches.length === 1) return matches[0]!;
  if (matches.length === 0) {
    return fail("NOT_FOUND", `No session fits "${wanted}". See them with: elwood sessions list`);
  }
  const shown = matches.slice(0, 5).map((s) => `  ${s.sessionKey}  ${s.title}`);
  return fail(
    "INVALID_INPUT",
    `"${wanted}" fits ${matches.length} sessions; write more of its key:\n${shown.join("\n")}`,
  );
}

const PAGES_MAX = 50;

async function allSessions(client: Pick<GatewayClient, "call">): Promise<WireSession[]> {
  const all: WireSession[] = [];
  let before: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const { sessions, next } = await client.call("sessions.list", {
      limit: LIMITS.pageSizeMax,
      ...(before === undefined ? {} : { before }),
    });
    all.push(...sessions);
    if (next === undefined) break;
    before = next;
  }
  return all;
}
