/**
 * A whole gateway whose tools answer what was recorded, for `npm run bench -- injection`,
 * which cannot reach into the gateway itself:
 *
 *   ELWOOD_HOME=… node recorded-gateway.ts <tools.json>
 *
 * It tells its parent where it can be reached, is told over the same channel what the calls
 * of a conversation answer, and acknowledges that before any of them is made.
 */
import { readFileSync } from "node:fs";
import { canonicalJson } from "@elwood/core/base/canonical-json";
import type { Risk, TrustLabels } from "@elwood/core/tool/tool";
import { defineTool, type ToolDefinition } from "@elwood/sdk/tool";
import { parse } from "yaml";
import { loadConfig } from "../src/config/load.ts";
import { startGateway } from "../src/gateway.ts";
import { makeLog } from "../src/log/log.ts";
import { systemClock } from "@elwood/platform/system";

interface RecordedTool {
  readonly id: string;
  readonly description: string;
  readonly risk: Risk;
  readonly labels: Partial<TrustLabels>;
  readonly input: Record<string, unknown>;
}

/** What the calls of one conversation answer; the same call made again gets the next answer. */
interface Recording {
  readonly sessionKey: string;
  readonly answers: readonly { readonly toolId: string; readonly input: unknown; readonly output: string }[];
}

const RECORDINGS_MAX = 10_000;
const recordings = new Map<string, Map<string, string[]>>();

// Whoever started it is gone: nobody needs it any more.
process.once("disconnect", () => process.exit(0));

// Both written by the benchmark that started this process, a moment ago.
const tools = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as RecordedTool[];
process.on("message", (message) => {
  const { sessionKey, answers } = message as Recording;
  if (recordings.size >= RECORDINGS_MAX) recordings.clear();
  const byCall = new Map<string, string[]>();
  for (const { toolId, input, output } of answers) {
    const key = callKey(toolId, input);
    byCall.set(key, [...(byCall.get(key) ?? []), output]);
  }
  recordings.set(sessionKey, byCall);
  process.send?.({ recorded: sessionKey });
});

const loaded = await loadConfig({ flags: { port: 0 }, env: process.env, cwd: process.cwd() });
if (!loaded.ok) throw new Error(loaded.error.map((problem) => problem.text).join("\n"));
const { log, learnSecrets } = makeLog({
  stream: process.stderr,
  level: "warn",
  format: "json",
  clock: systemClock,
  color: false,
});
const gateway = await startGateway({
  loaded: loaded.value,
  version: "bench",
  mode: "up",
  clock: systemClock,
  log,
  learnSecrets,
  extraTools: [{ source: "built-in", tools: tools.map(recorded) }],
});
process.send?.({ url: gateway.url, token: gateway.ownerToken });
process.once("SIGTERM", () => void gateway.close().then(() => process.exit(0)));

function recorded({ id, description, risk, labels, input }: RecordedTool): ToolDefinition {
  return defineTool({
    id,
    description,
    risk,
    labels,
    input,
    async handler(asked, { session }) {
      const answers = recordings.get(session)?.get(callKey(id, asked));
      // The last answer stays, so that a call repeated more often than recorded has one too.
      const output = answers && answers.length > 1 ? answers.shift() : answers?.[0];
      return typed(output ?? "");
    },
  });
}

function callKey(toolId: string, input: unknown): string {
  return `${toolId}\n${canonicalJson(input)}`;
}

/** Recorded outputs are YAML, as their tools wrote it; what is none is text. */
function typed(output: string): unknown {
  try {
    const value: unknown = parse(output);
    return typeof value === "object" && value !== null ? JSON.parse(JSON.stringify(value)) : output;
  } catch {
    return output;
  }
}
