import type { ActivityItem } from "@elwood/core/tool/activity";
import { ClaimModel, type Weights } from "@elwood/core/grounding/claim-model";
import { FactReader } from "@elwood/core/grounding/facts";
import { mayClaim } from "@elwood/core/grounding/may-claim";
import { readReply } from "@elwood/core/grounding/read-reply";
import { readDraft } from "@elwood/core/grounding/sentences";
import type { CallsOfSession } from "@elwood/core/grounding/session-calls";
import type { Judged } from "./boost.ts";
import type { Row } from "./rows.ts";
import { examplesOf, train } from "./train.ts";

const FOLDS = 5;

/** A fifth of the rows, with a first stage that was trained on the others. */
export interface Fold {
  readonly claims: Weights;
  readonly rows: readonly Row[];
  readonly sentences: readonly Judged[];
}

/**
 * Every sentence as a first stage reads it that was not trained on its row, so that the second
 * stage learns how far wording can be trusted on replies that nobody has seen.
 */
export function foldsOf(rows: readonly Row[]): Fold[] {
  const examples = new Map(rows.map((row) => [row, examplesOf(row)]));
  return Array.from({ length: FOLDS }, (_, fold) => {
    const others = rows.filter((row) => foldOf(row) !== fold);
    const claims = train(others.flatMap((row) => examples.get(row) ?? []));
    const model = new ClaimModel(claims);
    const own = rows.filter((row) => foldOf(row) === fold);
    return { claims, rows: own, sentences: own.flatMap((row) => readings(row, model)) };
  });
}

/** Rows that a first stage was not trained on, as it reads them. */
export function readBy(claims: Weights, rows: readonly Row[]): Judged[] {
  const model = new ClaimModel(claims);
  return rows.flatMap((row) =>
    readings(row, model).map((each) => ({ ...each, weight: each.weight * DECISION_ROW_WEIGHT })),
  );
}

/** There are few of them, and each stands for many wordings. */
const DECISION_ROW_WEIGHT = 2;

function readings(row: Row, model: ClaimModel): Judged[] {
  return [
    ...sentencesOf(row, model),
    ...withoutTargets(row).flatMap((bare) => sentencesOf(bare, model, BARE_WEIGHT)),
  ];
}

/** Near twins share their request, and stay together. */
export function foldOf({ user }: Row): number {
  let hash = 7;
  for (const letter of user.toLowerCase()) hash = (Math.imul(hash, 31) + letter.codePointAt(0)!) | 0;
  return Math.abs(hash) % FOLDS;
}

const BARE_WEIGHT = 0.4;

/** A receipt may not say what its call was about: where that decides nothing, the same reply is right or wrong without. */
function withoutTargets(row: Row): Row[] {
  const decided = row.label === "unsupported" && row.activity.some(({ status }) => status === "succeeded");
  if (row.activity.length === 0 || decided) return [];
  return [{ ...row, activity: row.activity.map(({ target: _target, ...call }) => call) }];
}

/** What a wrong mark costs, and what a missed one does. */
const COST = { noClaim: 2.5, supported: 2.5, besideUnsupported: 0.3, missed: 1 } as const;

function sentencesOf(row: Row, model: ClaimModel, share = 1): Judged[] {
  const draft = readDraft(row.reply);
  const context = readReply(model, draft, row.user, callsOf(row));
  const reader = new FactReader(context);
  const wrong = (row.spans ?? []).flatMap((span) => {
    const start = row.reply.indexOf(span.text);
    return start < 0 || span.kind !== "unsupported" ? [] : [{ start, end: start + span.text.length }];
  });
  return context.sentences.flatMap((sentence, index) => {
    if (!mayClaim(sentence, context)) return [];
    const { start, end } = draft.sentences[index]!;
    const is = wrong.some((span) => {
      const shared = Math.min(span.end, end) - Math.max(span.start, start);
      return shared >= 4 || shared >= Math.min(span.end - span.start, end - start) * 0.5;
    });
    const weight = is
      ? COST.missed
      : row.label === "no_claim"
        ? COST.noClaim
        : row.label === "supported"
          ? COST.supported
          : COST.besideUnsupported;
    return [
      {
        facts: rounded(Object.assign({}, ...reader.factsOf(index)) as Record<string, number>),
        lang: row.lang,
        is,
        weight: weight * share,
      },
    ];
  });
}

/** In which order numbers were added up must not decide what is learned. */
function rounded(facts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, Number(value.toPrecision(FACT_DIGITS))]),
  );
}

const FACT_DIGITS = 6;

export function callsOf(row: Row): CallsOfSession {
  const items = row.activity.map((call, index) => ({
    item: itemOf(call, index),
    earlier: call.run !== undefined,
  }));
  return {
    run: items.filter(({ earlier }) => !earlier).map(({ item }) => item),
    earlier: items.filter(({ earlier }) => earlier).map(({ item }) => item),
    textOf: () => "",
    recalled: false,
    attached: false,
  };
}

function itemOf({ approval = "none", ...call }: Row["activity"][number], index: number): ActivityItem {
  const status = approval === "expired" ? "expired" : call.status;
  const decision =
    approval === "denied"
      ? "denied"
      : status === "expired"
        ? "expired"
        : status === "pending"
          ? undefined
          : "approved";
  return {
    cite: `c${index + 1}`,
    callId: call.callId,
    toolId: call.toolId,
    risk: call.risk,
    status,
    when: index,
    receiptRef: "",
    summary: "",
    ...(call.target === undefined ? {} : { target: call.target }),
    ...(call.count === undefined ? {} : { count: call.count }),
    ...(approval === "none" ? {} : { approval: { required: true, ...(decision ? { decision } : {}) } }),
  };
}
