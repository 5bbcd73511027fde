import { defineTool, result, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { SHELL_LIMITS } from "./limits.ts";
import type { CageReport } from "./cage.ts";
import { makeCageFinder } from "./cage.ts";
import { makeWorkbench, settingNotices as noticesOf } from "./workbench.ts";

export { SHELL_LIMITS };
export type { CageReport };

export interface ShellOptions {
  /** Where commands run, and all they may change. */
  readonly root: string;
  readonly writable: boolean;
  /** Elwood's own state, and whatever else no command may see. */
  readonly denied: readonly string[];
  /** False in the mode strict: every command asks. */
  readonly autoRun: boolean;
  /** The owner's list in place of ours. */
  readonly safeCommands?: readonly string[];
  readonly dangerousPatterns: readonly string[];
  /** What is done with a command that fits one. */
  readonly dangerous: "ask" | "deny";
  /** Names of variables that the owner lets through, and where their values come from. */
  readonly envNames: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  /** True: without a cage nothing is run at all. */
  readonly requireCage: boolean;
  /** The agents' files lie in the working root. */
  readonly holdsAgents: boolean;
  readonly userHome: string;
  readonly isSecret: (names: readonly string[]) => boolean;
  /** For tests: how long a command waits while too many run. */
  readonly waitingMs?: number;
  /** For tests: another bubblewrap, or none. */
  readonly cage?: () => Promise<CageReport>;
}

const INPUT = z
  .strictObject({
    argv: z
      .array(z.string())
      .min(1)
      .max(SHELL_LIMITS.argumentsMax)
      .optional()
      .describe('Such as ["git", "log", "-5"]'),
    command: z
      .string()
      .min(1)
      .max(SHELL_LIMITS.commandCharsMax)
      .optional()
      .describe("A line in place of argv; shell syntax always asks"),
    cwd: z.string().max(4_096).optional().describe("A folder below the one that commands run in"),
    env: z.record(z.string(), z.string().max(SHELL_LIMITS.envValueCharsMax)).optional(),
    timeoutMs: z.int().min(1).max(SHELL_LIMITS.timeoutMaxMs).optional(),
    network: z.boolean().optional().describe("Needs the network; then it asks"),
  })
  .refine(({ argv, command }) => (argv === undefined) !== (command === undefined), {
    error: "Give either argv or command, not both.",
  })
  .refine(
    ({ argv = [] }) => argv.reduce((chars, arg) => chars + arg.length, 0) <= SHELL_LIMITS.commandCharsMax,
    {
      error: `The arguments are longer than ${SHELL_LIMITS.commandCharsMax} characters.`,
    },
  )
  .refine(({ env = {} }) => Object.keys(env).length <= SHELL_LIMITS.envNamesMax, {
    error: "Too many variables.",
  });

const output = z.strictObject({
  exitCode: z.number(),
  /** What it wrote on both streams, as it came. Text is called the same by every tool, for programs. */
  text: z.string(),
  bytes: z.number(),
  truncated: z.boolean(),
  durationMs: z.number(),
  caged: z.boolean(),
});

/** The command tool. */
export function shellTools(options: ShellOptions): ToolDefinition[] {
  const bench = makeWorkbench(options);
  return [
    defineTool({
      id: "shell.command.run",
      description:
        "Runs a program to its end. What only looks (ls, cat, grep, git status) runs at once; the rest asks the owner.",
      risk: "write",
      input: INPUT,
      output,
      labels: {
        egress: "none",
        output: "untrusted",
        // All of it: that somebody said each word of a command does not mean that they said the command.
        critical: ["*"],
        ids: {},
        content: [],
        time: [],
        sensitive: true,
      },
      // The command's own limit speaks first; this one is for a system that hangs.
      timeoutMs: SHELL_LIMITS.timeoutMaxMs + 10_000,
      target: ({ argv, command }) =>
        command ?? argv?.map((arg) => (/^[\w./:@%+,=-]+$/.test(arg) ? arg : JSON.stringify(arg))).join(" "),
      facts: async (call) => (await bench.judge(call)).facts,
      grantKeys: (call) => bench.grantKeys(call),
      preview: (call) => bench.preview(call),
      async handler(call, ctx) {
        const { output: text, ...ran } = await bench.run(call, ctx);
        const said = text.trimEnd();
        const shown = `${said}${said === "" ? "" : "\n"}[exit code ${ran.exitCode}]`;
        return result({ ...ran, text }, { text: shown, exitCode: ran.exitCode });
      },
    }),
  ];
}

/** Whether commands can be caged on this machine, and why not. */
export async function findCage(): Promise<CageReport> {
  return makeCageFinder(() => Date.now())();
}

/** What is wrong with the owner's lists, in words; the rest of them holds. */
export async function settingNotices(
  options: Pick<ShellOptions, "safeCommands" | "envNames">,
): Promise<readonly string[]> {
  if (options.safeCommands === undefined && options.envNames.length === 0) return [];
  return noticesOf(options);
}
