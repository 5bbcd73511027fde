import { EXIT } from "./io.ts";
import { runCli } from "./program.ts";
import { testIo } from "./test-io.ts";

/** Runs the command line in this process, with nothing to read and no home to find. */
export async function runHere(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = testIo({ env: { ELWOOD_HOME: "/nowhere/elwood" } });
  io.hangUp();
  const code = await runCli(argv, io);
  return { code, out: io.out(), err: io.err() };
}

/** The help page of every command by its words, found by reading help pages as a person would. */
export async function helpPages(): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const waiting: string[][] = [[]];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const { code, out } = await runHere(...path, "--help");
    if (code !== EXIT.ok) throw new Error(`no help for "${path.join(" ")}"`);
    pages.set(path.join(" "), out);
    const listed = /\nCommands:\n([^]*?)(\n\n|$)/.exec(out)?.[1] ?? "";
    for (const [, name] of listed.matchAll(/^ {2}([a-z][\w-]*)/gm)) {
      if (name !== "help") waiting.push([...path, name!]);
    }
  }
  return pages;
}
