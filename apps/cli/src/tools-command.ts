import type { WireTool, WireToolSummary } from "@elwood/core/protocol/tool-shapes";
import { plainLine } from "@elwood/core/message/session-text";
import type { GatewayClient } from "@elwood/sdk/client";
import { EXIT, type Io } from "./io.ts";
import { table } from "./table.ts";
import { visibleText } from "./terminal-text.ts";
import { canAsk, confirm } from "./confirm.ts";

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
  for (const problem of problems) io.stderr.write(`! ${visibleText(problem)}\n`);
  const unavailable = off.map((line) => `${visibleText(line)}\n`).join("");
  if (tools.length === 0) {
    io.stdout.write(`There are no tools.\n${unavailable}`);
    return EXIT.ok;
  }
  const rows = tools.map((tool) => [
    tool.toolId,
    tool.risk,
    EGRESS_WORDS[tool.egress],
    fromWhere(tool),
    plainLine(tool.description),
  ]);
  io.stdout.write(table(COLUMNS, rows, io.stdout.isTTY ? io.stdout.columns : undefined));
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

const EGRESS_WORDS: Readonly<Record<WireToolSummary["egress"], string>> = {
  none: "nothing",
  owner: "to you",
  third_party: "to others",
};

function fromWhere({ source, standing }: WireToolSummary): string {
  return standing === "granted" ? source : `${source} (${standing})`;
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
    ...added.map((id) => `added    ${id}`),
    ...changed.map((id) => `changed  ${id}`),
    ...removed.map((id) => `removed  ${id}`),
  ];
  const told = lines.length > 0 ? lines : ["The tools were reloaded. Nothing has changed."];
  io.stdout.write(`${told.map(visibleText).join("\n")}\n`);
  for (const problem of problems) io.stderr.write(`! ${visibleText(problem)}\n`);
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
  else io.stdout.write(described(tool));
  return EXIT.ok;
}

function described(tool: WireTool): string {
  const { labels } = tool;
  const able = [
    ...(tool.canPreview ? ["shows what would change"] : []),
    ...(tool.canUndo ? ["can be undone"] : []),
    ...(tool.idempotent ? ["safe to repeat"] : []),
    ...(tool.canReconcile ? ["can tell after a crash whether it happened"] : []),
  ];
  const facts: readonly (readonly [string, string])[] = [
    ["risk", tool.risk],
    ["sends", EGRESS_WORDS[labels.egress]],
    [
      "from",
      tool.standing === "granted"
        ? tool.source
        : `${fromWhere(tool)}: asks for every call until you grant it`,
    ],
    ["output", `${labels.output.replace("_", " ")}${labels.sensitive ? ", may be private" : ""}`],
    ["critical", labels.critical.includes("*") ? "every argument" : list(labels.critical)],
    ["asks", wish(tool)],
    ["able", list(able)],
    ["hosts", hostsText(tool)],
    ["secrets", secretsText(tool)],
    ["time", `${tool.timeoutMs / 1_000} s at most`],
    ["contract", tool.contractHash],
  ];
  return [
    tool.toolId,
    ...visibleText(tool.description)
      .split("\n")
      .map((line) => `  ${line}`),
    "",
    ...facts
      .filter(([, text]) => text !== "")
      .map(([name, text]) => `  ${name.padEnd(10)}${visibleText(text)}`),
    "",
    "  input",
    ...schemaLines(tool.input),
    ...(Object.keys(tool.output).length === 0 ? [] : ["  output", ...schemaLines(tool.output)]),
    "",
  ].join("\n");
}

function wish({ policy, requiresApproval }: WireTool): string {
  if (policy?.default === "deny") return "never: its own policy denies every call";
  return requiresApproval || policy?.default === "ask" ? "for every call, by its own wish" : "";
}

function hostsText({ hosts, network }: WireTool): string {
  if (hosts === undefined) return "";
  const where = hosts.length === 0 ? "none on the web" : list(hosts);
  if (network === undefined) return where;
  return network === "enforced"
    ? `${where}; enforced by bubblewrap`
    : `${where}; not enforced here: without bubblewrap it could open other connections`;
}

function secretsText({ secrets, secretsMissing = [] }: WireTool): string {
  return list(
    secrets.map((name) => (secretsMissing.includes(name) ? `${name} (not there, or not given to it)` : name)),
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
    else io.stdout.write(`${toolId} is granted already.\n`);
    return EXIT.ok;
  }
  if (!options.json) io.stderr.write(`${reach(tool).map(visibleText).join("\n")}\n\n`);
  if (!options.yes) {
    if (!canAsk(io)) {
      io.stderr.write(
        `Nothing was granted. To grant it without a question: elwood tools grant ${toolId} --yes\n`,
      );
      return EXIT.failed;
    }
    if (!(await confirm(io, `Grant ${toolId} as it is now?`))) {
      io.stderr.write("Nothing was granted.\n");
      return EXIT.denied;
    }
  }
  await client.call("tools.grant", { toolId, contractHash });
  if (options.json) io.stdout.write(`${JSON.stringify({ toolId, granted: true, changed: true })}\n`);
  else io.stdout.write(`Granted. ${afterwards(tool)}\n`);
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
  else io.stdout.write(`Revoked. ${visibleText(options.toolId)} asks for every call again.\n`);
  return EXIT.ok;
}

function reach(tool: WireTool): string[] {
  const { hosts = [], secrets, secretsMissing = [], network } = tool;
  const state =
    tool.standing === "changed" ? "It is not the one that you granted before." : "It is new to you.";
  return [
    `${tool.toolId}: ${tool.description}`,
    `  ${state}`,
    `  risk      ${RISK_WORDS[tool.risk]}`,
    `  reaches   ${hosts.length === 0 ? "nothing on the web" : hosts.join(", ")}`,
    ...(network === "not-enforced"
      ? ["            not enforced here: without bubblewrap it could open other connections (elwood doctor)"]
      : []),
    `  secrets   ${secrets.length === 0 ? "none" : secrets.join(", ")}`,
    ...(secretsMissing.length > 0
      ? [`            not there yet: ${secretsMissing.join(", ")} (see tools.secrets in the configuration)`]
      : []),
  ];
}

const RISK_WORDS: Readonly<Record<WireTool["risk"], string>> = {
  read: "it says that it changes nothing",
  write: "it changes something",
  destructive: "it does what cannot be taken back",
};

function afterwards({ toolId, risk, labels }: WireTool): string {
  if (risk === "destructive") return "Its calls still ask, as all do that cannot be taken back.";
  if (risk === "read" && labels.egress === "none")
    return "Its calls run unasked from now on, unless your rules say otherwise.";
  const what = labels.egress === "none" ? "change something" : "send something out";
  return `Its calls still ask where they ${what} that you did not say yourself; on such a question you can allow it for longer. What a call would meet: elwood policy explain ${toolId}`;
}
