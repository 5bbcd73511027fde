import { resolve } from "node:path";
import type { CallFact } from "@elwood/sdk/tool";
import type { CageReport } from "./cage.ts";
import { parseCommandLine } from "./command-line.ts";
import { dangerIn } from "./dangerous.ts";
import { refusedName } from "./environment.ts";
import { findProgram, type Program } from "./find-program.ts";
import { findRepository } from "./git-repository.ts";
import { findPlaces, isInside, isOpenPath, type Places } from "./places.ts";
import { isPlainGit, namesProgram, powerOf, POWER_WORDS } from "./programs.ts";
import type { PathWord } from "./safe-arguments.ts";
import type { SafeSet } from "./safe-commands.ts";
import { leadsToOwnState, namesOwnState, withHome } from "./own-state.ts";

export interface CommandInput {
  readonly argv?: readonly string[] | undefined;
  readonly command?: string | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs?: number | undefined;
  readonly network?: boolean | undefined;
}

/** What decides about commands, beside the command. */
export interface Ground {
  readonly root: string;
  /** Elwood's own folders and files. */
  readonly denied: readonly string[];
  readonly userHome: string;
  readonly safe: SafeSet;
  /** False: nothing runs unasked. */
  readonly autoRun: boolean;
  readonly dangerous: { readonly patterns: readonly string[]; readonly decision: "ask" | "deny" };
  readonly envNames: readonly string[];
  readonly requireCage: boolean;
  /** Files that make an agent what it is lie in the working root. */
  readonly holdsAgents: boolean;
  readonly isSecret: (names: readonly string[]) => boolean;
  readonly cage: () => Promise<CageReport>;
}

/** A command that was understood: what would be started, where, and how. */
export interface Plan {
  readonly argv: readonly string[];
  readonly program: Program;
  readonly places: Places;
  readonly network: boolean;
  /** By its form it only looks: it gets a working root that it cannot write to, and no network. */
  readonly looksOnly: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly cage: CageReport;
}

export interface Judged {
  readonly facts: readonly CallFact[];
  /** Absent where it cannot be run at all, whoever says yes. */
  readonly plan?: Plan;
  readonly problem?: string;
}

/**
 * All that there is to know about a command before anybody is asked. Whether it only looks
 * is told by its form alone, so that what a call was allowed as cannot change until it runs;
 * what lies on disk can only add a question.
 */
export async function judge(input: CommandInput, ground: Ground): Promise<Judged> {
  const facts: CallFact[] = [...environmentFacts(input.env ?? {}, ground.envNames)];
  const line = input.command === undefined ? undefined : parseCommandLine(input.command);
  const argv =
    line === undefined
      ? (input.argv ?? [])
      : line.kind === "argv"
        ? line.argv
        : ["bash", "-c", input.command ?? ""];
  if (line?.kind === "shell") {
    facts.push(
      ask("ask.shell-syntax", `Commands that need a shell always ask; this one has ${line.because}.`),
    );
  }
  const texts = [argv.join(" "), ...(input.command === undefined ? [] : [input.command])];
  // Only a shell would make a folder of "~" or "$HOME"; a home that lies in Elwood's own folder says nothing.
  const homeSpeaks = !ground.denied.some((denied) => isInside(ground.userHome, denied));
  const expanded =
    line?.kind === "shell" && homeSpeaks ? [withHome(input.command ?? "", ground.userHome)] : [];
  if (namesOwnState([...argv, ...expanded, input.cwd ?? ""], ground)) facts.push(OWN_STATE);
  const danger = dangerIn(texts, ground.dangerous.patterns);
  if (danger !== undefined) {
    const { decision } = ground.dangerous;
    facts.push({
      kind: decision,
      rule: decision === "deny" ? "hard.dangerous" : "ask.dangerous",
      reason: danger,
    });
  }
  const [name] = argv;
  const unrunnable = unrunnableBecause(argv);
  if (name === undefined || unrunnable !== undefined) {
    const problem = unrunnable ?? "There is no command.";
    return { facts: [...facts, ask("ask.unrunnable", problem)], problem };
  }
  const places = await findPlaces(ground.root, input.cwd);
  if ("problem" in places) {
    const { problem, outside } = places;
    return {
      facts: outside ? [...facts, { kind: "deny", rule: "hard.outside-scope", reason: problem }] : facts,
      problem,
    };
  }
  if (!facts.includes(OWN_STATE) && (await leadsToOwnState([...argv, ...expanded], places, ground.denied))) {
    facts.push(OWN_STATE);
  }
  const program = await findProgram(name, places);
  // That bash runs whatever it is told was said already, where it is only there for the line.
  facts.push(...(line?.kind === "shell" ? [] : programFacts(argv, program)));
  const cage = await ground.cage();
  if (!cage.ok) facts.push(cageFact(cage.reason, ground.requireCage));
  const network = input.network === true;
  if (network) facts.push(ask("ask.network", NETWORK_REASON));
  const paths = line?.kind === "shell" || network ? undefined : safePaths(ground.safe, argv, program);
  const looksOnly = paths !== undefined;
  if (!looksOnly && ground.holdsAgents) {
    facts.push(
      ask(
        "ask.agent-file",
        "It could change files that tell Elwood who it is or what it can do, so it asks every time.",
      ),
    );
  }
  if (program === undefined) {
    return { facts, problem: noProgram(name) };
  }
  const plan: Plan = { argv, program, places, network, looksOnly, env: input.env ?? {}, cage };
  if (paths !== undefined && (await isHarmless(plan, paths, ground))) {
    const reason = "It only looks, and runs where it can neither change anything nor reach the network.";
    facts.push({ kind: "harmless", rule: "shell.safe", reason });
  }
  return { facts, plan };
}

export function noProgram(name: string): string {
  return `There is no program "${name}" where commands are looked for.`;
}

const OWN_STATE: CallFact = {
  kind: "deny",
  rule: "hard.own-state",
  reason: "Elwood's own files are never the target of a command.",
};

const NETWORK_REASON =
  "It is to have the network, and could send anything it can read anywhere, and reach services on this machine.";

async function isHarmless(plan: Plan, paths: readonly PathWord[], ground: Ground): Promise<boolean> {
  if (!ground.autoRun || !plan.cage.ok || Object.keys(plan.env).length > 0) return false;
  const { places, program } = plan;
  for (const path of paths) {
    if (!(await isOpenPath(path, places, ground.isSecret, ground.denied))) return false;
  }
  return program.name !== "git" || gitOnlyLooks(plan, paths);
}

/**
 * Where one of the places to compare lies outside of a repository, git compares folders file
 * by file, whatever their names are.
 */
async function gitOnlyLooks({ argv, places }: Plan, paths: readonly PathWord[]): Promise<boolean> {
  const found = await findRepository(places.cwd, places.root);
  if (found === "odd") return false;
  const [, command, ...rest] = argv;
  if (command !== "diff") return true;
  if (found === "none") return rest.every((arg) => arg.startsWith("-"));
  return paths.every(({ text }) => isInside(resolve(places.cwd, text), found.top));
}

function safePaths(
  safe: SafeSet,
  argv: readonly string[],
  program: Program | undefined,
): readonly PathWord[] | undefined {
  return program === undefined || program.foreign ? undefined : safe.fit(program.name, argv.slice(1));
}

function environmentFacts(env: Readonly<Record<string, string>>, allowed: readonly string[]): CallFact[] {
  const refused = Object.keys(env).filter(
    (name) => !allowed.includes(name) || refusedName(name) !== undefined,
  );
  if (refused.length === 0) return [];
  const named = refused.map((name) => JSON.stringify(name)).join(", ");
  const reason = `The environment of commands is built by Elwood; ${named} cannot be set by a call. You can let further names through with shell.env.`;
  return [{ kind: "deny", rule: "hard.environment", reason }];
}

function unrunnableBecause(argv: readonly string[]): string | undefined {
  if (argv[0] === "") return "The name of the program is empty.";
  if (argv.some((arg) => arg.includes("\0")))
    return "An argument holds a NUL character, with which nothing can be run.";
  if (argv.some((arg) => !arg.isWellFormed()))
    return "An argument holds half a character, with which nothing can be run.";
  return undefined;
}

function programFacts(argv: readonly string[], program: Program | undefined): CallFact[] {
  const [name = "", ...args] = argv;
  const said = name.split("/").at(-1) ?? name;
  const behind = program?.real.split("/").at(-1);
  // Programs of many names do what their name says.
  const many = behind === "busybox" || behind === "toybox" || behind === "coreutils";
  const power = powerOf(said.trim()) ?? (behind === undefined || many ? undefined : powerOf(behind));
  const facts: CallFact[] = [];
  if (power !== undefined) {
    facts.push(ask("ask.runs-programs", `${said} ${POWER_WORDS[power]}, so it asks every time.`));
  }
  if (said === "git" && !isPlainGit(args)) {
    facts.push(
      ask("ask.runs-programs", "This command of git can run other programs, or reach other machines."),
    );
  }
  if (namesProgram(said, args)) {
    facts.push(ask("ask.runs-programs", `With these options ${said} runs another program.`));
  }
  if (name.includes("/") && (program === undefined || program.foreign)) {
    facts.push(
      ask(
        "ask.foreign-program",
        "The program is named by a path of its own, not found where the system keeps programs.",
      ),
    );
  }
  return facts;
}

function cageFact(reason: string, required: boolean): CallFact {
  if (required) {
    return {
      kind: "deny",
      rule: "hard.no-cage",
      reason: `Commands cannot be caged here, since ${reason}, and shell.requireCage forbids to run them without.`,
    };
  }
  return ask(
    "ask.no-cage",
    `It would run without a cage, since ${reason}: it could read and change all that Elwood itself can, its keys included.`,
  );
}

function ask(rule: string, reason: string): CallFact {
  return { kind: "ask", rule, reason };
}
