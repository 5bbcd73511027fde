import { showLine } from "@elwood/core/base/show";
import { LIMITS } from "@elwood/core/base/limits";
import { callWord } from "@elwood/core/base/state-words";
import type { ActivityItem } from "@elwood/core/tool/activity";
import type { GatewayClient } from "@elwood/sdk/client";
import type { ReportName } from "./commands.ts";
import { CHAT_WORDS as WORDS } from "./words.ts";

export interface ReportAbout {
  readonly sessionKey: string;
  /** Of the last answer. */
  readonly runId: string | undefined;
  readonly words: string;
}

/** What a command only looks up, as text. */
export async function reportOn(
  what: ReportName,
  client: Pick<GatewayClient, "call">,
  about: ReportAbout,
): Promise<string> {
  return REPORTS[what](client, about);
}

type Report = (client: Pick<GatewayClient, "call">, about: ReportAbout) => Promise<string>;

const RECEIPTS_SHOWN = 40;
const FINDING_SIGNS = { ok: "✓", info: "·", warning: "!", error: "✗" } as const;

const REPORTS: Readonly<Record<ReportName, Report>> = {
  async evidence(client, { runId }) {
    if (runId === undefined) return WORDS.noAnswer;
    const { activity } = await client.call("runs.activity", { runId });
    return activity.length === 0 ? WORDS.noCalls : evidenceLines(activity).join("\n");
  },

  async receipts(client, { runId }) {
    if (runId === undefined) return WORDS.noAnswer;
    const { receipts, targets = {} } = await client.call("receipts.list", { runId, limit: RECEIPTS_SHOWN });
    const lines = receipts
      .toSorted((a, b) => a.seq - b.seq)
      .map(({ seq, type, id }) => {
        const target = targets[id];
        return `  ${String(seq).padStart(6)}  ${type}${target === undefined ? "" : ` · ${showLine(target)}`}`;
      });
    const { words } = await client.call("receipts.verify", {});
    return [
      ...(lines.length === 0 ? [`  ${WORDS.noReceipts}`] : lines),
      `  ${showLine(WORDS.gateway(words))}`,
    ].join("\n");
  },

  async usage(client, { sessionKey }) {
    const [{ runs }, { caps }] = await Promise.all([
      client.call("runs.list", { sessionKey, limit: LIMITS.pageSizeMax }),
      client.call("usage.summary", { days: 1 }),
    ]);
    const tokens = runs.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0);
    const cost = runs.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0);
    return [
      `  ${WORDS.reports.usageHere(runs.length, tokens, cost.toFixed(4))}`,
      `  ${WORDS.reports.usageToday(caps.todayUsd.toFixed(4), caps.dayCostUsd.toFixed(2))}`,
    ].join("\n");
  },

  async memory(client, { words }) {
    const { hits } = await client.call("memory.search", { query: words });
    return hits.length === 0 ? WORDS.noMatch : hits.map(({ text }) => `  ${showLine(text)}`).join("\n");
  },

  async jobs(client) {
    const { jobs } = await client.call("jobs.list", {});
    if (jobs.length === 0) return `  ${WORDS.reports.noJobs}`;
    return jobs
      .map(({ name, when, status, next }) => {
        const at = next[0]?.local;
        const due =
          status !== "active" ? WORDS.state(status) : at === undefined ? "" : WORDS.reports.next(at);
        return `  ${showLine(name)} · ${showLine(when)}${due === "" ? "" : ` · ${due}`}`;
      })
      .join("\n");
  },

  async doctor(client) {
    const { findings, counts } = await client.call("gateway.doctor", {});
    const lines = findings
      .filter(({ severity }) => severity === "warning" || severity === "error")
      .map(
        ({ severity, what, fix }) =>
          `  ${FINDING_SIGNS[severity]} ${showLine(WORDS.gateway(what))}${fix === "" ? "" : `\n    ${showLine(WORDS.gateway(fix))}`}`,
      );
    return [...lines, `  ${WORDS.reports.findings(counts.ok, counts.warning, counts.error)}`].join("\n");
  },
};

/** The calls of an answer, one line each; what was undone says so in its own line. */
export function evidenceLines(activity: readonly ActivityItem[]): string[] {
  return activity
    .filter(({ undoes }) => undoes === undefined)
    .map(({ toolId, status, target = "", exitCode, undone = false }) => {
      const { glyph, word: english } = callWord(status, exitCode);
      const word = exitCode === undefined || exitCode === 0 ? WORDS.state(english) : WORDS.gateway(english);
      const [done, todo] = [WORDS.done(toolId), WORDS.todo(toolId)];
      const words = [
        status !== "succeeded" ? `${todo}: ${word}` : exitCode === undefined ? done : `${done} · ${word}`,
        showLine(target),
        undone ? WORDS.undoneSince : "",
      ];
      return `  ${glyph} ${words.filter((each) => each !== "").join(" · ")}`;
    });
}
