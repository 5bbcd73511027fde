import { fail } from "@elwood/core/base/failure";
import { plainLine } from "@elwood/core/message/session-text";
import type { WireIntegration } from "@elwood/core/protocol/integration-shapes";
import type { GatewayClient } from "@elwood/sdk/client";
import { readSecret } from "./auth-command.ts";
import { canAsk, readLine } from "./confirm.ts";
import { EXIT, ownName, type Io } from "./io.ts";
import { table } from "./table.ts";
import { visibleText } from "./terminal-text.ts";
import { gatewayText, say, type Sentence, stateText } from "./words/say.ts";

export interface IntegrationsDeps {
  readonly client: GatewayClient;
  /** Reads a secret from whoever sits there; masked where absent. */
  readonly askSecret?: Parameters<typeof readSecret>[3];
}

const STATES: Readonly<Record<WireIntegration["state"], Sentence>> = {
  new: "not set up",
  on: "on",
  off: "off",
  broken: "not working",
};

const COLUMNS = [
  { title: "INTEGRATION" },
  { title: "STATE" },
  { title: "TOOLS" },
  { title: "WHAT IT IS", flexible: true },
] as const;

/** `elwood integrations list` */
export async function listIntegrations(
  io: Io,
  { client }: IntegrationsDeps,
  options: { readonly json: boolean },
): Promise<number> {
  const { integrations } = await client.call("integrations.list", {});
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ integrations })}\n`);
    return EXIT.ok;
  }
  const rows = integrations.map((each) => [
    each.name,
    say(io, STATES[each.state]),
    each.tools.length === 0 ? "" : String(each.tools.length),
    plainLine(gatewayText(io, each.summary)),
  ]);
  io.stdout.write(table(io, COLUMNS, rows));
  for (const { title, problem } of integrations)
    if (problem !== undefined) io.stderr.write(`! ${visibleText(`${title}: ${gatewayText(io, problem)}`)}\n`);
  return EXIT.ok;
}

export interface SetupFlags {
  /** `key=value` */
  readonly set?: readonly string[];
  /** `NAME`, or `key=NAME` where there are several secrets. */
  readonly secretEnv?: readonly string[];
  readonly secretStdin?: boolean;
  readonly json: boolean;
}

/** `elwood integrations setup <name>`: asks for what is missing, tries it, and stores it only if that works. */
export async function setupIntegration(
  io: Io,
  deps: IntegrationsDeps,
  name: string,
  flags: SetupFlags,
): Promise<number> {
  const { integrations } = await deps.client.call("integrations.list", {});
  const known = integrations.find((each) => each.name === name);
  if (!known)
    fail(
      "NOT_FOUND",
      `There is no integration "${plainLine(name)}". There are ${integrations.map((each) => each.name).join(", ")}. Nothing was changed.`,
    );
  if (io.stdin.isTTY && !flags.json) introduce(io, known);
  const settings = await askSettings(io, known, pairs(flags.set ?? [], "--set"));
  const secrets = await askSecrets(io, deps, known, flags);
  const done = await deps.client.call("integrations.setup", { name, settings, secrets });
  if (flags.json) {
    io.stdout.write(`${JSON.stringify(done)}\n`);
    return EXIT.ok;
  }
  const { integration, account, notes } = done;
  io.stdout.write(`${say(io, "{0} works: {1}", integration.title, visibleText(plainLine(account)))}\n`);
  for (const note of notes) io.stdout.write(`${visibleText(plainLine(note))}\n`);
  io.stdout.write(
    `${say(io, "The assistant can use:")}\n${integration.tools.map(({ toolId, risk }) => `  ${toolId}  ${stateText(io, risk)}`).join("\n")}\n`,
  );
  return EXIT.ok;
}

function introduce(io: Io, { title, summary, can, guide, hosts }: WireIntegration): void {
  const lines = [
    `${title}: ${summary}`,
    ...can.map((each) => `- ${each}`),
    ...(hosts.length === 0 ? [] : [say(io, "It reaches {0} and nothing else.", hosts.join(", "))]),
    ...(guide === undefined ? [] : [say(io, "How to connect it: {0}", guide)]),
  ];
  io.stderr.write(`${visibleText(lines.join("\n"))}\n\n`);
}

async function askSettings(
  io: Io,
  { settings }: WireIntegration,
  given: ReadonlyMap<string, string>,
): Promise<Record<string, string>> {
  const answers = Object.fromEntries(given);
  if (!canAsk(io)) return answers;
  for (const { key, title, help, example, required, found, value } of settings) {
    if (found === true || given.has(key)) continue;
    const now = value === undefined ? undefined : String(value);
    const hint =
      now ??
      (example === undefined
        ? required
          ? undefined
          : say(io, "may be left out")
        : say(io, "such as {0}", example));
    if (help !== undefined) io.stderr.write(`${visibleText(help)}\n`);
    const line = await readLine(io, visibleText(`${title}${hint === undefined ? "" : ` (${hint})`}: `));
    if (line.kind === "interrupted") fail("ABORTED", "Nothing was changed.");
    const text = line.kind === "line" ? line.text.trim() : "";
    if (text !== "") answers[key] = text;
  }
  return answers;
}

async function askSecrets(
  io: Io,
  deps: IntegrationsDeps,
  { secrets }: WireIntegration,
  flags: SetupFlags,
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  const [first] = secrets;
  for (const written of flags.secretEnv ?? []) {
    const [, key = first?.key ?? "", variable = ""] =
      /^(?:([A-Za-z]+)=)?([A-Za-z_][A-Za-z0-9_]*)$/.exec(written) ?? [];
    if (variable === "")
      fail("INVALID_INPUT", `--secret-env takes the name of a variable, or key=NAME. Nothing was changed.`);
    answers[key] = `\${${variable}}`;
  }
  for (const { key, title, help, isSet, required } of secrets) {
    if (answers[key] !== undefined || (!canAsk(io) && !(flags.secretStdin === true && key === first?.key)))
      continue;
    if (help !== undefined && io.stdin.isTTY) io.stderr.write(`${visibleText(help)}\n`);
    const note = isSet
      ? ` ${say(io, "(leave empty to keep it)")}`
      : required
        ? ""
        : ` ${say(io, "(may be left out)")}`;
    const typed = await readSecret(io, `${title}${note}`, flags.secretStdin === true, deps.askSecret);
    if (typed !== "") answers[key] = typed;
  }
  return answers;
}

function pairs(written: readonly string[], flag: string): ReadonlyMap<string, string> {
  return new Map(
    written.map((each) => {
      const [, key = "", value = ""] = /^([A-Za-z][A-Za-z0-9]*)=(.*)$/s.exec(each) ?? [];
      if (key === "") fail("INVALID_INPUT", `${flag} takes key=value. Nothing was changed.`);
      return [key, value];
    }),
  );
}

/** `elwood integrations test <name>` */
export async function testIntegration(
  io: Io,
  { client }: IntegrationsDeps,
  options: { readonly name: string; readonly json: boolean },
): Promise<number> {
  const tested = await client.call("integrations.test", { name: options.name });
  if (options.json) io.stdout.write(`${JSON.stringify(tested)}\n`);
  else if (tested.ok) {
    io.stdout.write(`${say(io, "It works: {0}", visibleText(plainLine(tested.account ?? "")))}\n`);
    for (const note of tested.notes ?? []) io.stdout.write(`${visibleText(plainLine(note))}\n`);
  } else io.stderr.write(`${visibleText(plainLine(tested.problem ?? ""))}\n`);
  return tested.ok ? EXIT.ok : EXIT.failed;
}

/** `elwood integrations enable <name>` and `disable <name>` */
export async function switchIntegration(
  io: Io,
  { client }: IntegrationsDeps,
  options: { readonly name: string; readonly on: boolean; readonly json: boolean },
): Promise<number> {
  const { name, on } = options;
  const { integration } = await client.call(on ? "integrations.enable" : "integrations.disable", { name });
  if (options.json) io.stdout.write(`${JSON.stringify({ integration })}\n`);
  else if (on)
    io.stdout.write(
      `${say(io, "{0} is on, with {1} tools.", integration.title, integration.tools.length)}\n`,
    );
  else
    io.stdout.write(
      `${say(io, "{0} is off: the assistant no longer has its tools. What was set up stays; switch it on again with: {1} integrations enable {2}", integration.title, ownName(io.env), name)}\n`,
    );
  return EXIT.ok;
}
