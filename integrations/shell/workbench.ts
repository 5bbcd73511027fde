import { ToolError, type GrantKey, type Preview, type ToolContext } from "@elwood/sdk/tool";
import { makeCageFinder } from "./cage.ts";
import { previewOf } from "./command-preview.ts";
import { refusedName } from "./environment.ts";
import { isThere } from "./find-program.ts";
import { grantKeysFor } from "./grants.ts";
import type { ShellOptions } from "./index.ts";
import { judge, noProgram, type CommandInput, type Ground, type Judged, type Plan } from "./plan.ts";
import { runCommand, type Ran } from "./run-command.ts";
import { safeSet } from "./safe-commands.ts";
import { startOf, type StartOptions } from "./start-command.ts";

/** Everything the tool does, joined from its options. */
export interface Workbench {
  judge(input: CommandInput): Promise<Judged>;
  grantKeys(input: CommandInput): Promise<readonly GrantKey[]>;
  preview(input: CommandInput): Promise<Preview>;
  run(input: CommandInput, ctx: Pick<ToolContext, "signal" | "progress">): Promise<Ran & { caged: boolean }>;
}

export function makeWorkbench(options: ShellOptions): Workbench {
  const envNames = options.envNames.filter((name) => refusedName(name) === undefined);
  const ground: Ground = {
    root: options.root,
    denied: options.denied,
    userHome: options.userHome,
    safe: safeSet(options.safeCommands),
    autoRun: options.autoRun,
    dangerous: { patterns: options.dangerousPatterns, decision: options.dangerous },
    envNames,
    requireCage: options.requireCage,
    holdsAgents: options.holdsAgents,
    isSecret: options.isSecret,
    cage: options.cage ?? makeCageFinder(() => Date.now()),
  };
  const { writable, denied, environment } = options;
  const starting: StartOptions = { writable, denied, envNames, environment };
  const timeoutOf = ({ timeoutMs }: CommandInput) => timeoutMs ?? options.timeoutMs;

  async function planFor(input: CommandInput): Promise<Plan> {
    const { plan, problem, facts } = await judge(input, ground);
    const denial = facts.find(({ kind }) => kind === "deny");
    if (denial !== undefined) throw new ToolError(denial.rule, denial.reason);
    return plan ?? refuse(problem);
  }

  return {
    judge: (input) => judge(input, ground),
    grantKeys: async (input) => grantKeysFor(await judge(input, ground)),
    preview: async (input) => previewOf(await planFor(input), timeoutOf(input), starting),
    async run(input, { signal, progress }) {
      const plan = await planFor(input);
      if (!(await isThere(plan.program))) refuse(noProgram(plan.program.name));
      const start = startOf(plan, starting);
      const ran = await runCommand({
        ...start,
        timeoutMs: timeoutOf(input),
        signal,
        progress: (line) => progress(line),
      });
      return { ...ran, caged: start.caged };
    },
  };
}

function refuse(problem = "The command cannot be run."): never {
  throw new ToolError("not-started", problem);
}

/** What is wrong with the owner's settings, in words; what is right of them still holds. */
export function settingNotices(options: Pick<ShellOptions, "safeCommands" | "envNames">): string[] {
  return [
    ...safeSet(options.safeCommands).refused,
    ...options.envNames.flatMap((name) => {
      const why = refusedName(name);
      return why === undefined ? [] : [`shell.env: "${name}" is left out: ${why}.`];
    }),
  ];
}
