import { dirname } from "node:path";
import type { Preview } from "@elwood/sdk/tool";
import { boundFiles } from "./bound-files.ts";
import type { Plan } from "./plan.ts";
import { environmentOf, runArguments, type StartOptions } from "./start-command.ts";
import { showWord } from "./words.ts";

/**
 * What the owner decides by. The first three lines are also what the answer is bound to:
 * the file that would be run, the content of the owner's files that it would run, the folder, the cage and
 * the names in the environment. Where one of them has changed by the time it runs, it is
 * asked about anew. Arguments follow one a line, quoted, so that none can look like two.
 */
export async function previewOf(plan: Plan, timeoutMs: number, options: StartOptions): Promise<Preview> {
  const { argv, places, program } = plan;
  const scripts = await boundFiles(plan);
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
