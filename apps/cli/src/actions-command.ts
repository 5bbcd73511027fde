import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Versioning } from "@elwood/core/action/versioning";
import { fail } from "@elwood/core/base/failure";
import { showLine, showText } from "@elwood/core/base/show";
import { isMissingPath } from "@elwood/platform/system-error";
import type { GatewayClient } from "@elwood/sdk/client";
import { stringify } from "yaml";
import { EXIT, type Io } from "./io.ts";
import { table } from "./table.ts";
import { say } from "./words/say.ts";

/** `elwood actions list` */
export async function listActions(io: Io, client: GatewayClient, json: boolean): Promise<number> {
  const { actions } = await client.call("actions.list", {});
  if (json) return print(io, { actions });
  const rows = actions.map(({ name, version, task, model, connection, source }) => [
    showLine(name),
    `v${version}`,
    task,
    showLine(model ?? ""),
    showLine(connection ?? source),
  ]);
  io.stdout.write(table(io, LIST_COLUMNS, rows));
  return EXIT.ok;
}

const LIST_COLUMNS = [
  { title: "NAME", flexible: true },
  { title: "VERSION" },
  { title: "TASK" },
  { title: "MODEL" },
  { title: "BY" },
] as const;

interface Named {
  readonly name: string;
  readonly version: string;
  readonly json: boolean;
}

/** `elwood actions show <name>` */
export async function showAction(
  io: Io,
  client: GatewayClient,
  { name, version, json }: Named,
): Promise<number> {
  const shown = await client.call("actions.get", { name, version });
  if (json) return print(io, shown);
  const versions = shown.versions
    .map((each) => say(io, "v{0} by {1}", each.version, showLine(each.by)))
    .join(", ");
  io.stdout.write(`${shown.action.trn}\n\n${showText(stringify(shown.spec))}`);
  if (versions !== "") io.stdout.write(`\n${say(io, "Versions: {0}", versions)}\n`);
  return EXIT.ok;
}

/** `elwood actions import <file>`, and `diff`, which changes nothing. */
export async function importActions(
  io: Io,
  client: GatewayClient,
  given: {
    readonly file: string;
    readonly openapi: boolean;
    readonly strategy: Versioning;
    readonly dryRun: boolean;
    readonly json: boolean;
  },
): Promise<number> {
  const { file, openapi, strategy, dryRun, json } = given;
  const text = await readManifestFile(file);
  const imported = await client.call("actions.import", {
    text,
    file: basename(file),
    ...(openapi ? { format: "openapi" } : {}),
    strategy,
    dryRun,
  });
  if (json) return print(io, imported);
  for (const { type, trn, what, diff } of imported.entries) {
    io.stdout.write(`${dryRun ? say(io, "would be {0}", say(io, what)) : say(io, what)}: ${type} ${trn}\n`);
    if (what !== "unchanged") for (const line of diff) io.stdout.write(`  ${showLine(line)}\n`);
  }
  for (const line of imported.leftOut ?? []) io.stdout.write(`${showLine(line)}\n`);
  if (openapi && !dryRun)
    io.stdout.write(
      `${say(io, "Each asks for every call until you have looked at it: elwood tools grant action.http.NAME")}\n`,
    );
  return EXIT.ok;
}

async function readManifestFile(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (isMissingPath(error)) return fail("NOT_FOUND", `There is no file ${file}. Nothing was imported.`);
    throw error;
  }
}

/** `elwood actions export [names…]` */
export async function exportActions(
  io: Io,
  client: GatewayClient,
  names: readonly string[],
): Promise<number> {
  const { text } = await client.call("actions.export", { names: [...names] });
  io.stdout.write(text);
  return EXIT.ok;
}

/** `elwood actions rollback <name> <version>` */
export async function rollbackAction(
  io: Io,
  client: GatewayClient,
  { name, version, json }: Named,
): Promise<number> {
  const wanted = Number(version.replace(/^v/, ""));
  if (!Number.isSafeInteger(wanted) || wanted < 1)
    return fail("INVALID_INPUT", `"${version}" is no version: a number such as 2. Nothing was changed.`);
  const rolled = await client.call("actions.rollback", { name, version: wanted });
  if (json) return print(io, rolled);
  io.stdout.write(
    `${say(io, "{0} is at v{1} now; its newest is v{2}.", showLine(name), rolled.action.version, rolled.action.newest)}\n`,
  );
  return EXIT.ok;
}

/** `elwood actions run <name> [message]` */
export async function runAction(
  io: Io,
  client: GatewayClient,
  given: Named & { readonly message: string | undefined; readonly input: string | undefined },
): Promise<number> {
  const { name, version, message, input, json } = given;
  const whole =
    input === undefined ? { messages: [{ role: "user", content: message ?? "" }] } : parsed(input);
  const result = await client.call("actions.execute", { name, version, input: whole });
  if (json) return print(io, result);
  const { text, output, ranking, embeddings } = result;
  const shown = text || JSON.stringify(output ?? ranking ?? embeddings ?? result.tool_calls);
  io.stdout.write(`${showText(shown)}\n`);
  return EXIT.ok;
}

function parsed(input: string): Record<string, unknown> {
  try {
    return JSON.parse(input) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof SyntaxError)
      return fail("INVALID_INPUT", "--input is not valid JSON. Nothing was sent.");
    throw error;
  }
}

function print(io: Io, value: unknown): number {
  io.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  return EXIT.ok;
}
