import { createHash } from "node:crypto";
import { lstat, readFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import type { Preview } from "@elwood/sdk/tool";
import { SHELL_LIMITS } from "./limits.ts";
import { follow, isInside } from "./places.ts";
import type { Plan } from "./plan.ts";
import { environmentOf, runArguments, type StartOptions } from "./start-command.ts";
import { showWord } from "./words.ts";

/**
 * What the owner decides by. The first three lines are also what the answer is bound to:
 * the file that would be run, the content of scripts it is given, the folder, the cage and
 * the names in the environment. Where one of them has changed by the time it runs, it is
 * asked about anew. Arguments follow one a line, quoted, so that none can look like two.
 */
export async function previewOf(plan: Plan, timeoutMs: number, options: StartOptions): Promise<Preview> {
  const { argv, places, program } = plan;
  const scripts = await scriptsOf(plan);
  const held = [
    `program      ${program.path}${program.real === program.path ? "" : ` (${program.real})`}${scripts}`,
    `folder       ${places.cwd}`,
    `surroundings ${surroundings(plan, options)}; environment: ${Object.keys(environmentOf(plan, options)).join(" ")}`,
  ].join("\n");
  const run = runArguments(plan);
  const added =
    run.length === argv.length - 1 ? [] : [`run as       ${[program.name, ...run].map(showWord).join(" ")}`];
  const after = [
    held,
    ...argv.map((arg, i) => `argument ${String(i).padEnd(3)} ${JSON.stringify(arg)}`),
    ...added,
    `ends after   ${timeoutMs / 1000} s at the latest`,
  ].join("\n");
  return {
    sentence: `Run ${argv.map(showWord).join(" ")} in ${places.cwd}, ${inShort(plan)}.`,
    before: held,
    after,
    subject: places.cwd,
    base: dirname(places.root),
    reach: {
      changes: !plan.cage.ok ? "everything" : plan.looksOnly || !options.writable ? "nothing" : "folder",
      network: !plan.cage.ok || plan.network,
      seconds: timeoutMs / 1000,
    },
  };
}

function inShort({ cage, network, looksOnly }: Plan): string {
  if (!cage.ok) return "WITHOUT A CAGE: it can read and change all that Elwood can";
  return `${looksOnly ? "caged, changing nothing" : "caged"}, ${network ? "WITH the network" : "without network"}`;
}

function surroundings({ cage, network, looksOnly, places }: Plan, { writable }: StartOptions): string {
  if (!cage.ok) {
    return `no cage (${cage.reason}): it can read and change all that Elwood can, its keys included, and use the network`;
  }
  const may = looksOnly || !writable ? "can change nothing" : `can change ${places.root} and nothing else`;
  const net = network ? "has the network, and with it services on this machine" : "has no network";
  return `caged: ${may}, ${net}`;
}

/** Programs that are given scripts, and programs that lie among the owner's files, are bound by what is in them. */
async function scriptsOf(plan: Plan): Promise<string> {
  const { argv, places, program } = plan;
  const named = argv.slice(1).filter((arg) => !arg.startsWith("-") && !arg.includes("\0"));
  const paths = [...(program.foreign ? [program.path] : []), ...named.map((arg) => resolve(places.cwd, arg))];
  const hashes: string[] = [];
  for (const path of new Set(paths)) {
    if (hashes.length >= SHELL_LIMITS.boundFilesMax) break;
    // What lies outside of the working folder is not touched before somebody has decided.
    const led = await follow(path, [{ written: places.root, real: places.root }]);
    if (led?.whole !== true || !isInside(path, places.root)) continue;
    const hash = await hashOf(led.path);
    if (hash !== undefined) hashes.push(`${showWord(relative(places.cwd, path) || path)} sha256 ${hash}`);
  }
  const unseen =
    program.unseen === true ? "; outside of the working folder, so its content is not bound" : "";
  return hashes.length === 0 ? unseen : `${unseen}; ${hashes.join(", ")}`;
}

async function hashOf(path: string): Promise<string | undefined> {
  try {
    const stats = await lstat(path);
    if (!stats.isFile() || stats.size > SHELL_LIMITS.boundFileBytesMax) return undefined;
    return createHash("sha256")
      .update(await readFile(path))
      .digest("hex")
      .slice(0, 32);
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}
