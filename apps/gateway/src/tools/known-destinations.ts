import type { Approval } from "@elwood/core/policy/approval";
import { placesIn, type KnownPlaces } from "@elwood/core/authority/known-places";
import type { Ledger, RegisteredTool } from "@elwood/runtime/ports/gate-ports";

/** So many decisions back somebody is remembered as known. */
const APPROVALS_MAX = 500;

/**
 * Where the owner let this very tool go to, by hand and with this very contract: single
 * calls that they allowed, with what they made of them where they changed something. What
 * came of a plan or of a grant that was revoked does not count, and neither do tools that
 * say themselves what a standing permission binds.
 */
export async function knownDestinations(
  ledger: Pick<Ledger, "approvals" | "call" | "grant">,
  tenant: string,
  tool: RegisteredTool,
): Promise<KnownPlaces> {
  const known = new Map<string, Set<string>>();
  if (tool.grantKeys) return known;
  const approved = await ledger.approvals(tenant, { status: "approved", limit: APPROVALS_MAX });
  for (const approval of approved) {
    if (approval.toolId !== tool.contract.id || !isByHand(approval)) continue;
    const call = await ledger.call(tenant, approval.callId);
    if (call?.contractHash !== tool.contractHash) continue;
    const grant = approval.grantId === undefined ? undefined : await ledger.grant(tenant, approval.grantId);
    if (grant?.revokedAt !== undefined) continue;
    for (const { argument, place } of placesIn(tool.contract, approval.editedInput ?? approval.card.input))
      known.set(argument, (known.get(argument) ?? new Set()).add(place));
  }
  return known;
}

function isByHand({ card, decidedBy }: Approval): boolean {
  return card.kind === "approval" && card.plan === undefined && decidedBy?.kind === "owner";
}
