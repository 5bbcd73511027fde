import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { resolveHome } from "@elwood/gateway/config/paths";
import type { Wiring } from "./program.ts";
import type { ServiceDeps } from "./service-command.ts";

/** service install, status and uninstall. */
export function addServiceCommands(program: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  const service = program.command("service").description("let the system start Elwood and keep it running");
  service
    .command("install")
    .description("a service of yours, or with --system of the machine; started at once")
    .option("--system", "for the machine, with a user of its own and hardened; needs root")
    .option("--run-as <user>", "with --system: this user instead of elwood")
    .option("--env-file <file>", "lines NAME=value with keys and tokens, read at each start")
    .option(
      "--credential <name:file>",
      "a key in a file that only the service can read; repeatable",
      collected,
      [],
    )
    .option("--no-start", "only install it")
    .option("--dry-run", "print the file, and change nothing")
    .addHelpText(
      "after",
      "\nExamples:\n  elwood service install\n  sudo elwood service install --system --env-file /etc/elwood/env",
    )
    .action((flags: InstallFlags) =>
      run(false, async () => {
        const { installService } = await import("./service-command.ts");
        const { system = false, dryRun = false } = flags;
        return installService(io, await depsOf(wiring), { ...flags, system, dryRun });
      }),
    );
  service
    .command("status", { isDefault: true })
    .description("whether it is installed and runs; exit code 1 where not")
    .option("--system", "the service of the machine")
    .option("--json", "print one JSON document")
    .action(({ system = false, json = false }: { system?: boolean; json?: boolean }) =>
      run(json, async () => {
        const { serviceStatus } = await import("./service-command.ts");
        return serviceStatus(io, await depsOf(wiring), { system, json });
      }),
    );
  service
    .command("uninstall")
    .description("stop it and remove the service; the data stays")
    .option("--system", "the service of the machine")
    .action(({ system = false }: { system?: boolean }) =>
      run(false, async () => {
        const { uninstallService } = await import("./service-command.ts");
        return uninstallService(io, await depsOf(wiring), { system });
      }),
    );
}

interface InstallFlags {
  readonly system?: boolean;
  readonly runAs?: string;
  readonly envFile?: string;
  readonly credential: readonly string[];
  readonly start: boolean;
  readonly dryRun?: boolean;
}

function collected(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}

async function depsOf({ io, commandContext }: Wiring): Promise<ServiceDeps> {
  const userHome = io.env["HOME"] ?? homedir();
  return {
    platform: process.platform,
    node: process.execPath,
    launcher: process.argv[1] ?? fileURLToPath(new URL("../bin/elwood.mjs", import.meta.url)),
    home: (await commandContext.paths()).home,
    usualHome: resolveHome({}, {}, io.cwd, userHome).path,
    userHome,
    uid: process.getuid?.() ?? -1,
  };
}
