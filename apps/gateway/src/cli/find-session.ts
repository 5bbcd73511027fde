import { fail } from "@elwood/core/failure";
import type { WireSession } from "@elwood/core/protocol/shapes";
import type { GatewayClient } from "@elwood/sdk/client";

/** A session by its key, the beginning of its key, or words of its title; one must be meant, not two. */
export async function findSession(client: GatewayClient, wanted: string): Promise<WireSession> {
  const { sessions } = await client.call("sessions.list", { limit: 200 });
  const exact = sessions.find((s) => s.sessionKey === wanted);
  if (exact) return exact;
  const byKey = sessions.filter((s) => s.sessionKey.startsWith(wanted) || s.sessionKey.endsWith(wanted));
  const matches =
    byKey.length > 0 ? byKey : sessions.filter((s) => s.title.toLowerCase().includes(wanted.toLowerCase()));
  if (matches.length === 1) return matches[0]!;
  if (matches.length === 0) {
    // It may be older than the page that was looked through.
    if (/^ses_[0-9a-z]{26}$/.test(wanted))
      return (await client.call("sessions.get", { sessionKey: wanted })).session;
    return fail("NOT_FOUND", `No session fits "${wanted}". See them with: elwood sessions list`);
  }
  const shown = matches.slice(0, 5).map((s) => `  ${s.sessionKey}  ${s.title}`);
  return fail(
    "INVALID_INPUT",
    `"${wanted}" fits ${matches.length} sessions; write more of its key:\n${shown.join("\n")}`,
  );
}
