import { InvalidArgumentError, Option, type Command } from "commander";
import { LIMITS } from "@elwood/core/base/limits";
import type { Wiring } from "./program.ts";
import type { UsageKind } from "./usage-command.ts";

const KINDS: readonly UsageKind[] = ["day", "model", "session", "action", "profile", "tenant"];

/** usage: what was spent. */
export function addUsageCommand(program: Command, { io, commandContext, run }: Wiring): void {
  program
    .command("usage")
    .description("tokens and estimated cost of the last days")
    .addOption(new Option("--by <what>", "one line for each").choices(KINDS).default("day"))
    .addOption(new Option("--days <days>", "how far back").argParser(days).default(LIMITS.usageDaysDefault))
    .option("--csv", "print comma-separated values")
    .option("--json", "print one JSON document")
    .action((options: { by: UsageKind; days: number; csv?: boolean; json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { usage } = await import("./usage-command.ts");
        const form = options.json ? "json" : options.csv ? "csv" : "table";
        return commandContext.withClient("cli", (client) =>
          usage(io, client, { by: options.by, days: options.days, form }),
        );
      }),
    );
}

function days(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= LIMITS.usageDaysMax) return count;
  throw new InvalidArgumentError(`A number from 1 to ${LIMITS.usageDaysMax} is needed.`);
}
