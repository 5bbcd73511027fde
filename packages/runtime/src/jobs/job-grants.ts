import type { Grant } from "@elwood/core/policy/approval";
import { fail } from "@elwood/core/base/failure";
import type { GrantConstraint } from "@elwood/core/policy/grant";
import { LIMITS } from "@elwood/core/base/limits";
import { MODE_LAYER } from "@elwood/core/policy/policy";
import { bindingOf, isSameBinding, type JobBinding } from "@elwood/core/schedule/job-binding";
import { isShownWhole } from "@elwood/core/tool/plan";
import { canonicalJson } from "@elwood/core/base/canonical-json";
import type { Job } from "@elwood/core/schedule/job";
import { jobWords, type ApprovalService } from "../gate/approval-service.ts";
import { constraintsOf, type ConstraintBinding } from "../gate/approvals.ts";
import type { Ledger, ToolSnapshot } from "../ports/gate-ports.ts";
import type { Clock, Ids, Person } from "../ports/ports.ts";
import { jobText, runJobOf, type Heartbeat } from "./job-text.ts";
import type { Rehearsal, RehearsedCall, Rehearsals } from "./rehearsals.ts";

export interface JobGrantsDeps {
  readonly tenant: string;
  readonly rehearsals: Rehearsals;
  readonly approvals: Pick<ApprovalService, "give" | "revoke">;
  readonly ledger: Pick<Ledger, "grants">;
  readonly toolSnapshot: () => ToolSnapshot;
  readonly heartbeat: Heartbeat;
  readonly defaultAgentId: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly hash: (text: string) => string;
}

/** A call that the owner ticks, and how far the permission goes. */
export interface TickedCall {
  readonly plannedId: string;
  readonly constraint: GrantConstraint;
  /** How often in one run. */
  readonly perRun: number;
  /** For how many days. */
  readonly days: number;
}

/** What can be done about a call that a rehearsal listed. */
export interface Offer {
  readonly call: RehearsedCall;
  readonly constraints: readonly ConstraintBinding[];
  /** Why no permission can be given for it; absent where one can, or where it needs none. */
  readonly never?: string;
}

export interface JobGrant {
  readonly grant: Grant;
  /** Why it is not used any more, although it was neither revoked nor has ended. */
  readonly problem?: string;
}

/**
 * Standing permissions for jobs. They are made by the owner alone, out of a rehearsal, and are
 * ordinary grants, bound to the job as it was: to its words, its agent and the contract of the tool.
 * Whatever of these changes, the permission covers nothing (`grantCovers`), and says so here.
 */
export class JobGrants {
  readonly #deps: JobGrantsDeps;

  constructor(deps: JobGrantsDeps) {
    this.#deps = deps;
  }

  /** What the owner can allow of a rehearsal. */
  async offers({ calls }: Rehearsal): Promise<readonly Offer[]> {
    return Promise.all(calls.map((call) => this.#offer(call)));
  }

  /** Why no permission can be given out of a rehearsal any more; undefined where it can. */
  async outdated(job: Job, rehearsal: Rehearsal): Promise<string | undefined> {
    const now = await this.#binding(job);
    const changed = difference(rehearsal.job, now);
    return (
      changed && `${changed} has changed since this rehearsal. Rehearse the job again to allow anything.`
    );
  }

  /** All of the ticked calls, or none. A permission for the same thing is replaced. */
  async give(
    job: Job,
    runId: string,
    ticked: readonly TickedCall[],
    person: Person,
  ): Promise<readonly JobGrant[]> {
    const { rehearsals, approvals, tenant } = this.#deps;
    const rehearsal = await rehearsals.latest(job);
    if (rehearsal?.runId !== runId)
      fail(
        "CONFLICT",
        `That is not the last rehearsal of “${job.name}”. Nothing was allowed; look at the last one.`,
      );
    const outdated = await this.outdated(job, rehearsal);
    if (outdated !== undefined) fail("CONFLICT", `${outdated} Nothing was allowed.`);
    const offers = await this.offers(rehearsal);
    const given = ticked.map((tick) => this.#grant(job, rehearsal, offers, tick, person));
    const standing = await this.#standing(job);
    const replaced = standing.filter((old) => given.some(({ grant }) => isSameThing(old, grant)));
    await approvals.give(tenant, person, runId, given, replaced);
    return given.map(({ grant }) => ({ grant }));
  }

  /** Those that were neither revoked nor have ended, newest first. */
  async list(job: Job): Promise<readonly JobGrant[]> {
    const standing = await this.#standing(job);
    if (standing.length === 0) return [];
    const now = await this.#binding(job);
    return standing.map((grant) => {
      const problem = this.#problem(grant, now);
      return { grant, ...(problem === undefined ? {} : { problem }) };
    });
  }

  /** The job is gone, and what it was allowed goes with it. */
  async revokeAll(job: Job, person: Person): Promise<void> {
    const { approvals, tenant } = this.#deps;
    for (const { id } of await this.#standing(job)) await approvals.revoke(tenant, id, person);
  }

  async #standing(job: Job): Promise<readonly Grant[]> {
    const { ledger, tenant, clock } = this.#deps;
    const live = await ledger.grants(tenant, { live: true, at: clock.now() });
    return live.filter((grant) => grant.job?.id === job.id);
  }

  async #binding(job: Job): Promise<JobBinding> {
    const { heartbeat, defaultAgentId, hash } = this.#deps;
    const text = await jobText(job, heartbeat);
    return bindingOf(runJobOf(job, text, job.agentId ?? defaultAgentId, hash));
  }

  #problem(grant: Grant, now: JobBinding): string | undefined {
    const tool = this.#deps.toolSnapshot().get(grant.toolId);
    const changed = grant.job && difference(grant.job, now);
    if (changed !== undefined) return `${changed} has changed since you gave this permission. ${NOT_USED}`;
    if (tool === undefined) return `The tool ${grant.toolId} is not there. ${NOT_USED}`;
    if (tool.contractHash !== grant.contractHash)
      return `The tool ${grant.toolId} has changed since you gave this permission. ${NOT_USED}`;
    return undefined;
  }

  async #offer(call: RehearsedCall): Promise<Offer> {
    const { toolSnapshot, clock } = this.#deps;
    if (call.unasked) return { call, constraints: [] };
    const tool = toolSnapshot().get(call.toolId);
    if (tool === undefined || tool.contractHash !== call.contractHash)
      return { call, constraints: [], never: "The tool has changed since the rehearsal." };
    if (JSON.stringify(call.input ?? null).includes("[[vault:"))
      return { call, constraints: [], never: "It holds a secret, so it always asks." };
    if (!isShownWhole(call))
      return { call, constraints: [], never: "It is too long to be shown whole, so it cannot be allowed." };
    const verdict = { decision: "ask", rule: call.rule, reason: call.reason, layer: MODE_LAYER } as const;
    const constraints = call.always ? [] : await constraintsOf(tool, call.input, verdict, clock);
    return constraints.length > 0
      ? { call, constraints }
      : { call, constraints, never: `It cannot be allowed ahead. ${call.reason}` };
  }

  #grant(
    job: Job,
    rehearsal: Rehearsal,
    offers: readonly Offer[],
    { plannedId, constraint, perRun, days }: TickedCall,
    person: Person,
  ): { readonly grant: Grant; readonly callId: string } {
    const { clock, ids } = this.#deps;
    const offer = offers.find(({ call }) => call.plannedId === plannedId);
    if (offer === undefined)
      fail("NOT_FOUND", `The rehearsal listed no call ${plannedId}. Nothing was allowed.`);
    const { call, constraints, never } = offer;
    if (call.unasked)
      fail("INVALID_INPUT", `${call.summary}: it needs no permission. ${call.reason} Nothing was allowed.`);
    const bound = constraints.find((each) => each.constraint === constraint);
    if (bound === undefined) {
      const offered = constraints.map((each) => each.constraint).join(" or ");
      fail(
        "INVALID_INPUT",
        `${call.summary}: ${never ?? `it can be allowed by ${offered}, not by ${constraint}.`} Nothing was allowed.`,
      );
    }
    const createdAt = clock.now();
    const times = perRun === 1 ? "once a run" : `up to ${perRun} times a run`;
    const period = days === 1 ? "for a day" : `for ${days} days`;
    return {
      callId: call.callId,
      grant: {
        id: ids.next("grant"),
        toolId: call.toolId,
        scope: "call",
        match: bound.match,
        contractHash: call.contractHash,
        job: bindingOf(rehearsal.job),
        usesPerRun: Math.min(perRun, LIMITS.grantUsesPerRunMax),
        createdAt,
        expiresAt: createdAt + Math.min(days, LIMITS.grantDaysMax) * DAY_MS,
        createdBy: { kind: "owner", id: person.id, surface: person.surface },
        uses: 0,
        words: `${bound.words},${jobWords(job)} ${times}, ${period}`,
      },
    };
  }
}

const DAY_MS = 24 * 60 * 60_000;
const NOT_USED = "It is no longer used: such calls ask you. Rehearse the job to give it again.";

/** What of a job is no longer what it was, as the beginning of a sentence. */
function difference(before: JobBinding, now: JobBinding): string | undefined {
  if (isSameBinding(before, now)) return undefined;
  return before.textHash === now.textHash ? "The agent of the job" : "The text of the job";
}

function isSameThing(a: Grant, b: Grant): boolean {
  return a.toolId === b.toolId && canonicalJson(a.match ?? null) === canonicalJson(b.match ?? null);
}
