import { basename } from "node:path";
import { fail } from "@elwood/core/base/failure";
import { LIVE_VALUES, type CommandTree } from "./completion/command-tree.ts";
import type { LiveDeps } from "./completion/live-values.ts";
import { completionScript, SHELLS } from "./completion/scripts.ts";
import { EXIT, type Io } from "./io.ts";
import { say, type Sentence } from "./words/say.ts";

/** `elwood completion bash|zsh|fish`: the script on stdout; how to load it on stderr where a person looks. */
export async function completion(
  io: Io,
  tree: CommandTree,
  options: { readonly shell?: string },
): Promise<number> {
  const shell = SHELLS.find((each) => each === options.shell);
  if (!shell) {
    const own = SHELLS.find((each) => each === basename(io.env["SHELL"] ?? "")) ?? "bash";
    fail("INVALID_INPUT", `Say for which shell: ${SHELLS.join(", ")}. For example: elwood completion ${own}`);
  }
  io.stdout.write(completionScript(shell, tree));
  if (io.stdout.isTTY) io.stderr.write(`\n${say(io, "To use it: {0}", say(io, LOAD[shell]))}\n`);
  return EXIT.ok;
}

const LOAD: Readonly<Record<(typeof SHELLS)[number], Sentence>> = {
  bash: "add this line to ~/.bashrc: source <(elwood completion bash)",
  zsh: "add this line to ~/.zshrc, after compinit: source <(elwood completion zsh)",
  fish: "elwood completion fish > ~/.config/fish/completions/elwood.fish",
};

/**
 * `elwood completion --values sessions|models|agents`, which the scripts call while a
 * person types: a line for each value, its words behind a tab. A fault offers nothing
 * and says nothing, since anything said would stand in the middle of their line.
 */
export async function completionValues(io: Io, deps: LiveDeps, kind: string): Promise<number> {
  const known = LIVE_VALUES.find((each) => each === kind);
  if (!known) fail("INVALID_INPUT", `--values takes ${LIVE_VALUES.join(", ")}, not "${kind}".`);
  try {
    const { liveValues } = await import("./completion/live-values.ts");
    for (const { value, about } of await liveValues(io, known, deps)) io.stdout.write(`${value}\t${about}\n`);
    return EXIT.ok;
  } catch {
    // A database that is missing, locked or damaged is the doctor's to speak of.
    return EXIT.failed;
  }
}
