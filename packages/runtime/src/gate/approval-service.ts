import { pickedOption } from "@elwood/core/policy/picked-option";
import type { Approval, ApprovalDecision, Grant, GrantScope } from "@elwood/core/policy/approval";
import { fail } from "@elwood/core/base/failure";
import { boundsOf, GRANTED_HERE } from "@elwood/core/policy/grant";
import { bindingOf, type RunJob } from "@elwood/core/schedule/job-binding";
import { MODE_LAYER, type Verdict } from "@elwood/core/policy/policy";
import type { Redactor } from "@elwood/core/base/redact";
import type { Sha256 } from "@elwood/core/receipts/receipt";
import { CARD_CHARS_MAX, showLine } from "@elwood/core/base/show";
import type { Clock, Ids, Person } from "../ports/ports.ts";
import {
  type Approvals,
  type EditedInput,
  type GrantBinding,
  grantScopes,
  makePreview,
  withoutSecrets,
} from "./approvals.ts";
import type { Ledger, RegisteredTool, ToolSnapshot, Vault } from "../ports/gate-ports.ts";
import { ReceiptFactory } from "./receipt-factory.ts";

export interface ApprovalServiceDeps {
  readonly approvals: Approvals;
  readonly ledger: Ledger;
  readonly toolSnapshot: () => ToolSnapshot;
  readonly vault: Vault;
  readonly verdictFor: (
    tenant: string,
    tool: RegisteredTool,
    input: unknown,
    sessionId: string,
  ) => Promise<Verdict>;
  /** Notes with a decision are stored permanently, in receipts too. */
  readonly redact: Redactor;
  readonly sha256: Sha256;
  readonly salt: () => string;
  readonly ids: Ids;
  readonly clock: Clock;
}

export interface AllowOptions {
  readonly decision: ApprovalDecision;
  readonly window?: { readonly minutes?: number; readonly scope: GrantScope["scope"] };
  /** The input the owner wants to run instead. */
  readonly input?: unknown;
  readonly note?: string;
  /** The word that a plan which destroys something wants to be typed. */
  readonly confirm?: string;
}

/** Decisions of people, from the socket, the command line and every channel. */
export class ApprovalService {
  readonly #deps: ApprovalServiceDeps;
  readonly #receiptFactory: ReceiptFactory;

  constructor(deps: ApprovalServiceDeps) {
    this.#deps = deps;
    this.#receiptFactory = new ReceiptFactory(deps.sha256, deps.salt);
  }

  async allow(tenant: string, approvalId: string, person: Person, options: AllowOptions): Promise<Approval> {
    const { approvals } = this.#deps;
    const approval = await approvals.find(tenant, approvalId);
    if (!approval) fail("NOT_FOUND", `There is no approval ${approvalId}. Nothing was decided.`);
    if (approval.card.kind !== "approval") fail("INVALID_INPUT", questionText(approvalId));
    if (approval.status !== "pending") return approval;
    if (!approval.card.showable) {
      fail(
        "INVALID_INPUT",
        "This call is too long to be shown whole, so it cannot be allowed; it can be denied. Nothing was decided.",
      );
    }
    const { confirm } = approval.card;
    if (confirm !== undefined && options.confirm?.trim() !== confirm) {
      fail("INVALID_INPUT", `To allow this plan, type the word "${confirm}". Nothing was decided.`);
    }
    const edited =
      options.input === undefined ? undefined : await this.#edited(tenant, approval, options.input);
    const grant =
      options.decision === "once"
        ? undefined
        : await this.#grant(tenant, approval, person, options, edited?.input ?? approval.card.input);
    const { approval: decided } = await approvals.answer(tenant, approval, person, {
      decision: options.decision,
      ...(options.note === undefined ? {} : { note: this.#kept(options.note) }),
      ...(edited === undefined ? {} : { edited }),
      ...(grant ? { grant, grantBounds: this.#receiptFactory.body(boundsOf(grant)) } : {}),
    });
    return decided;
  }

  /**
   * The approval as it would have been asked with another input: checked and looked at like any
   * call, and nothing decided. What cannot run, or would be denied, says so.
   */
  async preview(tenant: string, approvalId: string, input: unknown): Promise<Approval> {
    const { approvals, toolSnapshot, vault, clock, redact } = this.#deps;
    const approval = await approvals.find(tenant, approvalId);
    if (!approval) fail("NOT_FOUND", `There is no approval ${approvalId}. Nothing was decided.`);
    if (approval.card.kind !== "approval") fail("INVALID_INPUT", questionText(approvalId));
    const { input: sealed } = await this.#edited(tenant, approval, input);
    const tool = toolSnapshot().get(approval.toolId);
    if (!tool) fail("CONFLICT", `${approval.toolId} is no longer there. Nothing was decided.`);
    const { signal } = new AbortController();
    const opened = await vault.open(tenant, approval.callId, sealed);
    const seen = await makePreview(tool, opened, { signal, sessionId: approval.sessionId }, clock);
    if (seen.problem !== undefined) fail("INVALID_INPUT", `${redact(seen.problem)} Nothing was decided.`);
    const { preview: _before, ...card } = approval.card;
    const preview = seen.preview && withoutSecrets(seen.preview, redact);
    const showable = JSON.stringify({ input: sealed, preview }).length <= CARD_CHARS_MAX;
    const summary = showLine(preview?.sentence ?? card.summary);
    return {
      ...approval,
      card: { ...card, input: sealed, summary, showable, ...(preview ? { preview } : {}) },
    };
  }

  async deny(
    tenant: string,
    approvalId: string,
    person: Person,
    note: string | undefined,
  ): Promise<Approval> {
    const { approvals } = this.#deps;
    const approval = await approvals.find(tenant, approvalId);
    if (approval && approval.card.kind !== "approval") fail("INVALID_INPUT", questionText(approvalId));
    const decision = "deny" as const;
    const answer = note === undefined ? { decision } : { decision, note: this.#kept(note) };
    return (await approvals.answer(tenant, approval ?? approvalId, person, answer)).approval;
  }

  async reply(tenant: string, questionId: string, person: Person, text: string): Promise<Approval> {
    const { approvals } = this.#deps;
    const question = await approvals.find(tenant, questionId);
    // An unknown outcome has two possible answers; other questions allow free text.
    const options = question?.card.kind === "settle" ? question.card.options : undefined;
    const answer = pickedOption(question?.card.options, text) ?? text;
    if (question?.status === "pending" && options && !options.includes(answer)) {
      fail("INVALID_INPUT", `Choose one of: ${options.join(", ")}. Nothing was answered.`);
    }
    return (await approvals.reply(tenant, questionId, person, this.#kept(answer))).approval;
  }

  /**
   * Standing permissions that the owner gives at once, out of a rehearsal, and those whose place they
   * take: one write, so that all of it holds or nothing.
   */
  async give(
    tenant: string,
    person: Person,
    runId: string,
    given: readonly { readonly grant: Grant; readonly callId: string }[],
    replaced: readonly Grant[],
  ): Promise<void> {
    const { ledger, clock } = this.#deps;
    const about = { runId, actor: person.id, surface: person.surface };
    const decidedBy = { kind: "owner" as const, id: person.id, surface: person.surface };
    const bound = given.map((each) => ({ ...each, bounds: this.#receiptFactory.body(boundsOf(each.grant)) }));
    const written = await ledger.write(tenant, {
      receipts: [
        ...replaced.map(({ id: grantId, toolId, words }) => ({
          ...about,
          type: "grant.revoked" as const,
          payload: { grantId, toolId, words },
        })),
        ...bound.map(({ grant: { id: grantId, toolId, words }, callId, bounds }) => ({
          ...about,
          callId,
          type: "grant.created" as const,
          payload: { grantId, toolId, words, boundsCommit: bounds.commit, decidedBy },
        })),
      ],
      changes: [
        ...replaced.map(({ id: grantId }) => ({
          kind: "grant.revoke" as const,
          grantId,
          at: clock.now(),
        })),
        ...bound.flatMap(({ grant, bounds }) => [
          { kind: "grant.new" as const, grant },
          { kind: "body.put" as const, body: bounds },
        ]),
      ],
    });
    if (!written.ok)
      fail(
        "CONFLICT",
        "Another decision about the same permission came first. Nothing was allowed; try again.",
      );
  }

  async revoke(tenant: string, grantId: string, person: Person): Promise<void> {
    const { ledger, clock } = this.#deps;
    const grant = await ledger.grant(tenant, grantId);
    if (!grant) fail("NOT_FOUND", `There is no grant ${grantId}. Nothing was revoked.`);
    const written = await ledger.write(tenant, {
      receipts: [
        {
          type: "grant.revoked",
          runId: "",
          actor: person.id,
          surface: person.surface,
          payload: { grantId, toolId: grant.toolId, words: grant.words },
        },
      ],
      changes: [{ kind: "grant.revoke", grantId, at: clock.now() }],
    });
    if (!written.ok) fail("CONFLICT", `The grant ${grantId} was revoked before.`);
  }

  #kept(words: string): string {
    return this.#deps.redact(words).toWellFormed();
  }

  /** An edited input is checked and decided like any other; editing does not override a denial. */
  async #edited(tenant: string, approval: Approval, input: unknown): Promise<EditedInput> {
    const { toolSnapshot, vault, verdictFor, redact } = this.#deps;
    const tool = toolSnapshot().get(approval.toolId);
    if (!tool) fail("CONFLICT", `${approval.toolId} is no longer there. Nothing was decided.`);
    const parsed = tool.parseInput(await vault.open(tenant, approval.callId, input));
    if (!parsed.ok) fail("INVALID_INPUT", `${parsed.error}\nNothing was decided.`);
    const verdict = await verdictFor(tenant, tool, parsed.value, approval.sessionId);
    if (verdict.decision === "deny")
      fail("INVALID_INPUT", `The edited call would be denied: ${verdict.reason} Nothing was decided.`);
    const sealed = await vault.storeSecrets(tenant, approval.callId, parsed.value);
    const about = await tool.target(parsed.value);
    const target = about === undefined ? undefined : redact(about);
    return {
      input: sealed,
      ...(target === undefined ? {} : { target }),
      ...this.#receiptFactory.edited(sealed, target),
    };
  }

  /** `input` is what will run, its secrets sealed: a grant is kept for long, and shown. */
  async #grant(
    tenant: string,
    approval: Approval,
    person: Person,
    options: AllowOptions,
    input: unknown,
  ): Promise<Grant> {
    const { toolSnapshot, clock, ids } = this.#deps;
    if (!approval.card.decisions.includes(options.decision)) {
      fail(
        "INVALID_INPUT",
        `This call can only be allowed once: ${approval.card.reason} Nothing was decided.`,
      );
    }
    const tool = toolSnapshot().get(approval.toolId);
    if (!tool) fail("CONFLICT", `${approval.toolId} is no longer there. Nothing was decided.`);
    const { contract, contractHash } = tool;
    const call = await this.#deps.ledger.call(tenant, approval.callId);
    if (call?.contractHash !== contractHash) {
      fail(
        "CONFLICT",
        "The tool has changed since you were asked, so this can only be allowed once. Nothing was decided.",
      );
    }
    const bound = await this.#binding(tool, approval, input, options.window?.scope ?? "call");
    const createdAt = clock.now();
    const windowed = options.decision === "window";
    const minutes = options.window?.minutes ?? WINDOW_MINUTES;
    const { job } = approval.card;
    return {
      id: ids.next("grant"),
      toolId: contract.id,
      scope: bound.match ? "call" : "tool",
      ...(bound.match ? { match: bound.match } : {}),
      ...(windowed ? { sessionId: approval.sessionId, expiresAt: createdAt + minutes * 60_000 } : {}),
      ...(job ? { job: bindingOf(job) } : {}),
      contractHash,
      createdAt,
      createdBy: { kind: "owner", id: person.id, surface: person.surface },
      uses: 0,
      words: `${bound.words},${job ? jobWords(job) : ""}${windowed ? `${GRANTED_HERE}, for ${minutesInWords(minutes)}` : " until you revoke it"}`,
    };
  }

  /** What the grant is bound to: never more than was offered, and nothing that holds a secret. */
  async #binding(
    tool: RegisteredTool,
    approval: Approval,
    input: unknown,
    wanted: GrantScope["scope"],
  ): Promise<GrantBinding> {
    const { rule, reason } = approval.card;
    const asked: Verdict = { decision: "ask", rule, reason, layer: MODE_LAYER };
    const scopes = await grantScopes(tool, input, asked, this.#deps.clock);
    const bound = scopes.find(({ scope }) => scope === wanted);
    if (bound === undefined) {
      const offered = scopes.map(({ scope }) => `"${scope}"`).join(" or ");
      fail(
        "INVALID_INPUT",
        offered === ""
          ? "This call can only be allowed once. Nothing was decided."
          : `This call cannot be allowed for longer with the scope "${wanted}", only with ${offered}. Nothing was decided.`,
      );
    }
    if (JSON.stringify(bound.match ?? {}).includes("[[vault:")) {
      fail("INVALID_INPUT", "This call holds a secret, so it can only be allowed once. Nothing was decided.");
    }
    return bound;
  }
}

const WINDOW_MINUTES = 15;

/** For a job alone, and only as it is: said in the words of every such permission. */
export function jobWords({ name }: Pick<RunJob, "name">): string {
  return ` in the job “${showLine(name)}” as it is now,`;
}

function minutesInWords(minutes: number): string {
  if (minutes === 60) return "an hour";
  if (minutes > 0 && minutes % 60 === 0) return `${minutes / 60} hours`;
  return minutes === 1 ? "a minute" : `${minutes} minutes`;
}

function questionText(id: string): string {
  return `${id} is a question: it takes an answer, not a yes or no. Nothing was decided. Answer it on the page, or with: elwood approvals answer ${id} "…"`;
}
