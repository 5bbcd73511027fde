import { ToolError, type GrantKey, type Preview, type ToolContext } from "@elwood/sdk/tool";
import { makeCageFinder } from "./cage.ts";
import { previewOf } from "./command-preview.ts";
import { refusedName } from "./environment.ts";
import { isThere } from "./find-program.ts";
import { grantKeysFor } from "./grants.ts";
import type { ShellOptions } from "./index.ts";
import { SHELL_LIMITS } from "./limits.ts";
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
  const slots = makeSlots(SHELL_LIMITS.runningMax, options.waitingMs ?? SHELL_LIMITS.waitingMs);
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
      const leave = await slots.enter(signal);
      try {
        const ran = await runCommand({
          ...start,
          timeoutMs: timeoutOf(input),
          signal,
          progress: (line) => progress(line),
        });
        return { ...ran, caged: start.caged };
      } finally {
        leave();
      }
    },
  };
}

interface Slots {
  /** Answers how to leave again, once there is room. */
  enter(signal: AbortSignal): Promise<() => void>;
}

/** So many commands at a time, in the order they came. */
function makeSlots(max: number, waitingMs: number): Slots {
  let running = 0;
  const waiting = new Set<() => void>();
  const leave = () => {
    const [next] = waiting;
    if (next === undefined) running--;
    else {
      waiting.delete(next);
      next();
    }
  };
  return {
    enter(signal) {
      if (running < max) {
        running++;
        return Promise.resolve(leave);
      }
      return new Promise((resolve, reject) => {
        const over = AbortSignal.any([signal, AbortSignal.timeout(waitingMs)]);
        const go = () => {
          over.removeEventListener("abort", giveUp);
          resolve(leave);
        };
        const giveUp = () => {
          waiting.delete(go);
          const why = signal.aborted ? "the call was stopped" : `${max} others are running`;
          reject(
            new ToolError("busy", `The command was not started: ${why}.`, { retryable: !signal.aborted }),
          );
        };
        waiting.add(go);
        over.addEventListener("abort", giveUp, { once: true });
        if (over.aborted) giveUp();
      });
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
