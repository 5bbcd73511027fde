import { defineIntegration, settingText, type IntegrationContext } from "@elwood/sdk/integration";
import { defineTool, err, ok, result, ToolError, type CallFact, type ToolDefinition } from "@elwood/sdk/tool";
import { PosthogClient, type PosthogSettings } from "./client.ts";
import { thresholdInput, thresholdOutput, visitorsInput, visitorsOutput, type Range } from "./schemas.ts";

export default defineIntegration<PosthogSettings>({
  name: "posthog",
  settings({ host, project }) {
    const url = URL.parse(settingText(host));
    if (url === null || !/^https?:$/.test(url.protocol))
      return err("The server must be an address such as https://eu.posthog.com.");
    if (!/^\d{1,12}$/.test(settingText(project)))
      return err("The project id is a number; it stands in the address of your project's pages.");
    return ok({ host: url.origin, project: settingText(project) });
  },
  tools: (context) => [visitorsTool(context), thresholdTool(context)],
  async check(context, signal) {
    try {
      await new PosthogClient(context).ping(signal);
    } catch (cause) {
      if (cause instanceof ToolError) return { ok: false, problem: cause.message };
      throw cause;
    }
    const { host, project } = context.settings;
    return { ok: true, account: `project ${project} at ${new URL(host).host}`, notes: [] };
  },
});

const labels = { egress: "owner", ids: {}, content: [], time: [], sensitive: true } as const;

function visitorsTool(context: IntegrationContext<PosthogSettings>): ToolDefinition {
  const client = new PosthogClient(context);
  return defineTool({
    id: "posthog.analytics.getVisitors",
    description: "How many visitors and page views a website had, by PostHog.",
    risk: "read",
    input: visitorsInput,
    output: visitorsOutput,
    labels: { ...labels, output: "trusted", critical: ["website"] },
    idempotent: true,
    target: ({ website }) => website,
    facts: (): readonly CallFact[] => [
      { kind: "harmless", rule: "read.own-service", reason: "It only asks your own PostHog for numbers." },
    ],
    async handler({ website, range, projectId }, { signal }) {
      const counted = await client.visitors({ website, range, project: projectId }, signal);
      return result(
        { website, range, ...counted },
        {
          text: `${website}, ${RANGE_WORDS[range]}: ${counted.visitors} visitors, ${counted.pageviews} page views.`,
        },
      );
    },
  });
}

const RANGE_WORDS: Readonly<Record<Range, string>> = {
  today: "today so far",
  yesterday: "yesterday",
  "7d": "the last 7 days",
  "30d": "the last 30 days",
};

function thresholdTool({ jobs }: IntegrationContext<PosthogSettings>): ToolDefinition {
  const known = () => jobs ?? none();
  return defineTool({
    id: "posthog.monitor.createThresholdJob",
    description:
      "Sets a job that looks at a website's visitors at set times, and tells the owner when there were more (or fewer) than a number.",
    risk: "write",
    input: thresholdInput,
    output: thresholdOutput,
    labels: {
      ...labels,
      egress: "none",
      output: "trusted",
      sensitive: false,
      critical: ["website", "threshold"],
      verbs: ["schedule", "write", "look"],
    },
    target: ({ website }) => website,
    facts: (): readonly CallFact[] => [
      { kind: "ask", rule: "ask.recurring", reason: "A job that repeats always asks first." },
    ],
    async preview(input) {
      const planned = orThrow(await known().plan(jobOf(input)));
      return {
        sentence: `Look at the visitors of ${input.website}, ${planned.when}.`,
        after: [
          jobOf(input).message,
          "",
          `When: ${planned.when}`,
          ...planned.next.map((time) => `  ${time}`),
        ].join("\n"),
        creates: true,
        undoable: true,
      };
    },
    async handler(input, { idempotencyKey, session }) {
      const made = orThrow(await known().create(jobOf(input), { key: idempotencyKey, session }));
      return told(made, `Set: “${made.name}”, ${made.when}.`);
    },
    async undo(_input, output) {
      const gone = orThrow(await known().remove(output.id));
      return told(gone, `Removed the job “${gone.name}”.`);
    },
    reconcile: async (_input, key) => ((await known().wasCreated(key)) ? "happened" : "did-not-happen"),
  });
}

interface Threshold {
  readonly website: string;
  readonly threshold: number;
  readonly direction: "above" | "below";
  readonly range: Range;
  readonly cron: string;
}

function jobOf({ website, threshold, direction, range, cron }: Threshold) {
  const than = direction === "above" ? "more than" : "fewer than";
  return {
    kind: "task" as const,
    name: `Visitors of ${website} ${direction} ${threshold}`.slice(0, 80),
    cron,
    message: `Call posthog.analytics.getVisitors for ${website} with the range "${range}". If there were ${than} ${threshold} visitors, tell me so, with the number. Otherwise answer with the number in one line.`,
  };
}

function told(
  { id, name, when, next }: { id: string; name: string; when: string; next: readonly string[] },
  text: string,
) {
  return result({ id, name, when, next: [...next] }, { text });
}

function orThrow<T>(answer: { ok: true; value: T } | { ok: false; error: string }): T {
  if (answer.ok) return answer.value;
  throw new ToolError("refused", answer.error);
}

function none(): never {
  throw new ToolError("refused", "There are no jobs here. Nothing was stored.");
}
