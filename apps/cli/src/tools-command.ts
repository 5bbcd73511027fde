import type { WireTool, WireToolSummary } from "@elwood/core/protocol/tool-shapes";
import { plainLine } from "@elwood/core/message/session-text";
import type { GatewayClient } from "@elwood/sdk/client";
import { EXIT, type Io } from "./io.ts";
import { table } from "./table.ts";
import { visibleText } from "./terminal-text.ts";
import { canAsk, confirm } from "./confirm.ts";
import { gatewayText, say, type Sentence, stateText, toolText } from "./words/say.ts";

export interface ToolsDeps {
  readonly client: GatewayClient;
}

/** `elwood tools list` */
export async function listTools(
  io: Io,
  deps: ToolsDeps,
  options: { readonly json: boolean },
): Promise<number> {
  const { tools, problems = [], off = [] } = await deps.client.call("tools.list", {});
  if (options.json) {
    const more = { ...(problems.length > 0 ? { problems } : {}), ...(off.length > 0 ? { off } : {}) };
    io.stdout.write(`${JSON.stringify({ tools, ...more })}\n`);
    return EXIT.ok;
  }
  for (const problem of problems) io.stderr.write(`! ${visibleText(gatewayText(io, problem))}\n`);
  const unavailable = off.map((line) => `${visibleText(gatewayText(io, line))}\n`).join("");
  if (tools.length === 0) {
    io.stdout.write(`${say(io, "There are no tools.")}\n${unavailable}`);
    return EXIT.ok;
  }
  const rows = tools.map((tool) => [
    tool.toolId,
    stateText(io, tool.risk),
    say(io, EGRESS_WORDS[tool.egress]),
    fromWhere(io, tool),
    plainLine(toolText(io, tool.toolId, tool.description)),
  ]);
  io.stdout.write(table(io, COLUMNS, rows));
  if (unavailable !== "") io.stdout.write(`\n${unavailable}`);
  return EXIT.ok;
}

const COLUMNS = [
  { title: "TOOL" },
  { title: "RISK" },
  { title: "SENDS" },
  { title: "FROM" },
  { title: "WHAT IT DOES", flexible: true },
] as const;

const EGRESS_WORDS: Readonly<Record<WireToolSummary["egress"], Sentence>> = {
  none: "nothing",
  owner: "to you",
  third_party: "to others",
};

/** Whose words its output may be. */
const OUTPUT_WORDS: Readonly<Record<WireTool["labels"]["output"], Sentence>> = {
  trusted: "trusted",
  third_party: "third party",
  untrusted: "untrusted",
};

function fromWhere(io: Io, { source, standing }: WireToolSummary): string {
  const from = say(io, source);
  return standing === "granted" ? from : `${from} (${say(io, standing)})`;
}

/** `elwood tools reload`: says what changed. A tool that had to be left out makes it fail, though the others are there. */
export async function reloadTools(
  io: Io,
  deps: ToolsDeps,
  options: { readonly json: boolean },
): Promise<number> {
  const reloaded = await deps.client.call("tools.reload", {});
  const { added, changed, removed, problems } = reloaded;
  const code = problems.length > 0 ? EXIT.failed : EXIT.ok;
  if (options.json) {
    io.stdout.write(`${JSON.stringify(reloaded)}\n`);
    return code;
  }
  const lines = [
    ...added.map((id) => say(io, "added    {0}", id)),
    ...changed.map((id) => say(io, "changed  {0}", id)),
    ...removed.map((id) => say(io, "removed  {0}", id)),
  ];
  const told = lines.length > 0 ? lines : [say(io, "The tools were reloaded. Nothing has changed.")];
  io.stdout.write(`${told.map(visibleText).join("\n")}\n`);
  for (const problem of problems) io.stderr.write(`! ${visibleText(gatewayText(io, problem))}\n`);
  return code;
}

/** `elwood tools show <tool>`: all that Elwood knows of it. */
export async function showTool(
  io: Io,
  deps: ToolsDeps,
  options: { readonly toolId: string; readonly json: boolean },
): Promise<number> {
  const { tool } = await deps.client.call("tools.get", { toolId: options.toolId });
  if (options.json) io.stdout.write(`${JSON.stringify({ tool })}\n`);
  else io.stdout.write(described(io, tool));
  return EXIT.ok;
}

function described(io: Io, tool: WireTool): string {
  const { labels } = tool;
  const able = [
    ...(tool.canPreview ? [say(io, "shows what would change")] : []),
    ...(tool.canUndo ? [say(io, "can be undone")] : []),
    ...(tool.idempotent ? [say(io, "safe to repeat")] : []),
    ...(tool.canReconcile ? [say(io, "can tell after a crash whether it happened")] : []),
  ];
  const facts: readonly (readonly [string, string])[] = [
    [say(io, "risk"), stateText(io, tool.risk)],
    [say(io, "sends"), say(io, EGRESS_WORDS[labels.egress])],
    [
      say(io, "from"),
      tool.standing === "granted"
        ? say(io, tool.source)
        : say(io, "{0}: asks for every call until you grant it", fromWhere(io, tool)),
    ],
    [
      say(io, "output"),
      `${say(io, OUTPUT_WORDS[labels.output])}${labels.sensitive ? say(io, ", may be private") : ""}`,
    ],
    [say(io, "critical"), labels.critical.includes("*") ? say(io, "every argument") : list(labels.critical)],
    [say(io, "asks"), wish(io, tool)],
    [say(io, "able"), list(able)],
    [say(io, "hosts"), hostsText(io, tool)],
    [say(io, "secrets"), secretsText(io, tool)],
    [say(io, "time"), say(io, "{0} s at most", tool.timeoutMs / 1_000)],
    [say(io, "contract"), tool.contractHash],
  ];
  return [
    tool.toolId,
    ...visibleText(toolText(io, tool.toolId, tool.description))
      .split("\n")
      .map((line) => `  ${line}`),
    "",
    ...facts
      .filter(([, text]) => text !== "")
      .map(([name, text]) => `  ${name.padEnd(10)}${visibleText(text)}`),
    "",
    `  ${say(io, "input")}`,
    ...schemaLines(tool.input),
    ...(Object.keys(tool.output).length === 0 ? [] : [`  ${say(io, "output")}`, ...schemaLines(tool.output)]),
    "",
  ].join("\n");
}

function wish(io: Io, { policy, requiresApproval }: WireTool): string {
  if (policy?.default === "deny") return say(io, "never: its own policy denies every call");
  return requiresApproval || policy?.default === "ask" ? say(io, "for every call, by its own wish") : "";
}

function hostsText(io: Io, { hosts, network }: WireTool): string {
  if (hosts === undefined) return "";
  const where = hosts.length === 0 ? say(io, "none on the web") : list(hosts);
  if (network === undefined) return where;
  return network === "enforced"
    ? say(io, "{0}; enforced by bubblewrap", where)
    : say(io, "{0}; not enforced here: without bubblewrap it could open other connections", where);
}

function secretsText(io: Io, { secrets, secretsMissing = [] }: WireTool): string {
  return list(
    secrets.map((name) =>
      secretsMissing.includes(name) ? say(io, "{0} (not there, or not given to it)", name) : name,
    ),
  );
}

function schemaLines(schema: Record<string, unknown>): string[] {
  return visibleText(JSON.stringify(schema, null, 2))
    .split("\n")
    .map((line) => `    ${line}`);
}

function list(words: readonly string[]): string {
  return words.join(", ");
}

interface ToolGrantDeps {
  readonly client: GatewayClient;
}

/** `elwood tools grant <tool>`: shows what the tool may do, and knows it as it is from then on. */
export async function grantTool(
  io: Io,
  { client }: ToolGrantDeps,
  options: { readonly toolId: string; readonly yes: boolean; readonly json: boolean },
): Promise<number> {
  const { tool } = await client.call("tools.get", { toolId: options.toolId });
  const { toolId, contractHash, standing } = tool;
  if (standing === "granted") {
    if (options.json) io.stdout.write(`${JSON.stringify({ toolId, granted: true, changed: false })}\n`);
    else io.stdout.write(`${say(io, "{0} is granted already.", toolId)}\n`);
    return EXIT.ok;
  }
  if (!options.json) io.stderr.write(`${reach(io, tool).map(visibleText).join("\n")}\n\n`);
  if (!options.yes) {
    if (!canAsk(io)) {
      io.stderr.write(
        `${say(io, "Nothing was granted. To grant it without a question: elwood tools grant {0} --yes", toolId)}\n`,
      );
      return EXIT.failed;
    }
    if (!(await confirm(io, say(io, "Grant {0} as it is now?", toolId)))) {
      io.stderr.write(`${say(io, "Nothing was granted.")}\n`);
      return EXIT.denied;
    }
  }
  await client.call("tools.grant", { toolId, contractHash });
  if (options.json) io.stdout.write(`${JSON.stringify({ toolId, granted: true, changed: true })}\n`);
  else io.stdout.write(`${say(io, "Granted.")} ${afterwards(io, tool)}\n`);
  return EXIT.ok;
}

/** `elwood tools revoke <tool>` */
export async function revokeTool(
  io: Io,
  { client }: ToolGrantDeps,
  options: { readonly toolId: string; readonly json: boolean },
): Promise<number> {
  await client.call("tools.revoke", { toolId: options.toolId });
  if (options.json) io.stdout.write(`${JSON.stringify({ toolId: options.toolId, granted: false })}\n`);
  else
    io.stdout.write(`${say(io, "Revoked. {0} asks for every call again.", visibleText(options.toolId))}\n`);
  return EXIT.ok;
}

function reach(io: Io, tool: WireTool): string[] {
  const { hosts = [], secrets, secretsMissing = [], network } = tool;
  const state =
    tool.standing === "changed"
      ? say(io, "It is not the one that you granted before.")
      : say(io, "It is new to you.");
  return [
    `${tool.toolId}: ${toolText(io, tool.toolId, tool.description)}`,
    `  ${state}`,
    `  ${say(io, "risk      {0}", say(io, RISK_WORDS[tool.risk]))}`,
    `  ${say(io, "reaches   {0}", hosts.length === 0 ? say(io, "nothing on the web") : hosts.join(", "))}`,
    ...(network === "not-enforced"
      ? [
          `            ${say(io, "not enforced here: without bubblewrap it could open other connections (elwood doctor)")}`,
        ]
      : []),
    `  ${say(io, "secrets   {0}", secrets.length === 0 ? say(io, "none") : secrets.join(", "))}`,
    ...(secretsMissing.length > 0
      ? [
          `            ${say(io, "not there yet: {0} (see tools.secrets in the configuration)", secretsMissing.join(", "))}`,
        ]
      : []),
  ];
}

const RISK_WORDS: Readonly<Record<WireTool["risk"], Sentence>> = {
  read: "it says that it changes nothing",
  write: "it changes something",
  destructive: "it does what cannot be taken back",
};

function afterwards(io: Io, { toolId, risk, labels }: WireTool): string {
  if (risk === "destructive") return say(io, "Its calls still ask, as all do that cannot be taken back.");
  if (risk === "read" && labels.egress === "none")
    return say(io, "Its calls run unasked from now on, unless your rules say otherwise.");
  const asks: Sentence =
    labels.egress === "none"
      ? "Its calls still ask where they change something that you did not say yourself; on such a question you can allow it for longer."
      : "Its calls still ask where they send something out that you did not say yourself; on such a question you can allow it for longer.";
  return `${say(io, asks)} ${say(io, "What a call would meet: elwood policy explain {0}", toolId)}`;
}
