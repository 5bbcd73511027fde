import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command, Option } from "commander";
import { describe, expect, onTestFinished, test } from "vitest";
import { err } from "@elwood/core/base/result";
import type { Log } from "@elwood/runtime/ports/ports";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { testFolder } from "@elwood/gateway/test/config/test-folder";
import { statePaths } from "@elwood/platform/state-paths";
import { openStores } from "@elwood/store-sqlite/open-stores";
import { completion, completionValues } from "./completion-command.ts";
import { commandTree } from "./completion/read-commander.ts";
import { completionScript, type Shell } from "./completion/scripts.ts";
import { reporting } from "./failure-text.ts";
import { EXIT } from "./io.ts";
import { testIo } from "./test-io.ts";

/** A command line with one of everything, read as the real one is. */
function program(): Command {
  const root = new Command("elwood").description("An assistant").argument("[prompt...]", "what to say");
  root.option("-c, --continue", "go on in the last session");
  root.option("-m, --model <provider/model>", "ask this model").option("--home <folder>", "its data");
  root.addOption(new Option("--secret-door").hideHelp());
  root.command("up").description("start it: don't wait").option("--port <port>", "listen here");
  const sessions = root.command("sessions").description("what was said");
  sessions.command("list").description("newest first");
  sessions.command("show").description("one of them").argument("<session>");
  sessions
    .command("export")
    .description("as a file")
    .argument("<session>")
    .addOption(new Option("--format <format>", "how").choices(["markdown", "json"]))
    .option("-o, --output <file>", "where to");
  root
    .command("doctor")
    .description("look at everything")
    .addOption(new Option("--lint [severity]", "fail from here on").choices(["error", "warning"]))
    .option("--json", "one document");
  root
    .command("ask")
    .description("ask an agent")
    .option("-a, --agent <agent>", "whom")
    .argument("[words...]");
  root.command("inner", { hidden: true });
  return root;
}

/** A folder with the script and an `elwood` that answers for the live values. */
function shellFolder(shell: Shell): { folder: string; script: string; bin: string } {
  const folder = mkdtempSync(join(tmpdir(), "elwood-completion-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const bin = join(folder, "bin");
  mkdirSync(bin);
  mkdirSync(join(folder, "docs"));
  writeFileSync(join(folder, "draft.md"), "");
  writeFileSync(
    join(bin, "elwood"),
    `#!/bin/sh
[ "$1 $2" = "completion --values" ] || exit 1
case "$3" in
  sessions) printf 'aaaaaaa1\\tHoliday: plans\\nbbbbbbb2\\tTax $(touch pwned)\\n' ;;
  models) printf 'anthropic/claude-x\\tusual\\nollama/qwen3:8b\\tused\\nollama/qwen3:14b\\tused\\n$(touch\${IFS}pwned)\\tevil\\n' ;;
  agents) printf 'assistant\\tElwood\\n' ;;
esac
`,
  );
  chmodSync(join(bin, "elwood"), 0o755);
  const script = join(folder, `script.${shell}`);
  writeFileSync(script, completionScript(shell, commandTree(program())));
  return { folder, script, bin };
}

const has = (shell: Shell) => spawnSync(shell, ["-c", "exit 0"]).status === 0;

describe.skipIf(!has("bash"))("in bash", () => {
  /** What bash would offer for a line, the cursor at its end; words are cut as bash cuts them. */
  function offered(line: string): string[] {
    const { folder, script, bin } = shellFolder("bash");
    const driver = `
source "$1"
[[ $(complete -p elwood) == *"-F _elwood"* ]] || exit 9
COMP_LINE=$2 COMP_POINT=\${#2}
read -r -a COMP_WORDS <<< "$(sed 's/\\([=:]\\)/ \\1 /g' <<< "$2")"
[[ $2 == *[[:space:]] ]] && COMP_WORDS+=("")
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
_elwood elwood
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const ran = spawnSync("bash", ["--norc", "--noprofile", "-c", driver, "bash", script, line], {
      cwd: folder,
      env: { PATH: `${bin}:${process.env["PATH"]}`, HOME: folder },
      encoding: "utf8",
    });
    expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
    expect(readdirSync(folder)).not.toContain("pwned");
    return ran.stdout.split("\n").filter((each) => each !== "");
  }

  test.each<[string, string[]]>([
    ["elwood s", ["sessions"]],
    ["elwood ", ["up", "sessions", "doctor", "ask", "help"]],
    ["elwood sessions ", ["list", "show", "export", "help"]],
    ["elwood sessions e", ["export"]],
    ["elwood --m", ["--model"]],
    ["elwood sessions export --", ["--format", "--output", "--help"]],
    ["elwood sessions export --format ", ["markdown", "json"]],
    ["elwood sessions export --format=j", ["json"]],
    ["elwood sessions export aaaaaaa1 --format m", ["markdown"]],
    ["elwood sessions show ", ["aaaaaaa1", "bbbbbbb2"]],
    ["elwood sessions show b", ["bbbbbbb2"]],
    ["elwood sessions show aaaaaaa1 ", []],
    ["elwood -m ollama/q", ["ollama/qwen3:8b", "ollama/qwen3:14b"]],
    ["elwood -m ollama/qwen3:", ["8b", "14b"]],
    ["elwood -m ollama/qwen3:8", ["8b"]],
    ["elwood --model=ollama/qwen3:1", ["14b"]],
    ["elwood --model=an", ["anthropic/claude-x"]],
    ["elwood -m ollama/qwen3:8b sess", ["sessions"]],
    ["elwood -m foo: ", ["up", "sessions", "doctor", "ask", "help"]],
    ["elwood -c --home d", ["docs"]],
    ["elwood sessions export -o d", ["docs", "draft.md"]],
    ["elwood doctor --lint ", ["error", "warning"]],
    ["elwood doctor --lint --j", ["--json"]],
    ["elwood doctor --lint=w", ["warning"]],
    ["elwood ask -a ", ["assistant"]],
    ["elwood hello sess", []],
    ["elwood -- s", []],
    ["elwood --secret", []],
    ["elwood inn", []],
    ["elwood up --port ", []],
  ])("%j offers %j", (line, expected) => {
    expect(offered(line).sort()).toEqual([...expected].sort());
  });
});

describe.skipIf(!has("fish"))("in fish", () => {
  function offered(line: string): string[] {
    const { folder, script, bin } = shellFolder("fish");
    const ran = spawnSync(
      "fish",
      ["--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script, line],
      {
        cwd: folder,
        env: { ...process.env, PATH: `${bin}:${process.env["PATH"]}`, HOME: folder },
        encoding: "utf8",
      },
    );
    expect(ran.stderr).toBe("");
    expect(readdirSync(folder)).not.toContain("pwned");
    return ran.stdout.split("\n").filter((each) => each !== "");
  }
  const words = (line: string) => offered(line).map((each) => each.split("\t")[0]!);

  test.each<[string, string[]]>([
    ["elwood sess", ["sessions"]],
    ["elwood sessions ", ["list", "show", "export", "help"]],
    ["elwood sessions export --fo", ["--format"]],
    ["elwood sessions export --format ", ["markdown", "json"]],
    ["elwood sessions export --format=j", ["--format=json"]],
    ["elwood sessions show ", ["aaaaaaa1", "bbbbbbb2"]],
    ["elwood sessions show aaaaaaa1 ", []],
    ["elwood -m ollama/qwen3:8", ["ollama/qwen3:8b"]],
    ["elwood -m ollama/qwen3:8b sess", ["sessions"]],
    ["elwood ask -a ", ["assistant"]],
    ["elwood hello sess", []],
    ["elwood inn", []],
  ])("%j offers %j", (line, expected) => {
    expect(words(line).sort()).toEqual([...expected].sort());
  });

  test("files are offered where a file is wanted, and titles stand beside sessions", () => {
    expect(words("elwood sessions export -o d")).toEqual(expect.arrayContaining(["docs/", "draft.md"]));
    expect(offered("elwood sessions show a")).toEqual(["aaaaaaa1\tHoliday: plans"]);
  });
});

describe.skipIf(!has("zsh"))("in zsh", () => {
  /** Runs the function with zsh's own completion builtins replaced by ones that say what they were given. */
  function offered(line: string): string[] {
    const { folder, script, bin } = shellFolder("zsh");
    const driver = String.raw`
compdef() { print -r -- "compdef $*" >&2 }
# The completion system sets this, and its functions break without it.
setopt extended_glob
_describe() { [[ -o extended_glob ]] || print lost; print -rl -- "${"${(@P)@[-1]}"}" }
_files() { print -r -- "files $*" }
compset() { PREFIX=${"${PREFIX#*=}"} }
source $1
words=("${"${(@s: :)2}"}") CURRENT=$#words
_elwood`;
    const ran = spawnSync("zsh", ["-f", "-c", driver, "zsh", script, line], {
      cwd: folder,
      env: { ...process.env, PATH: `${bin}:${process.env["PATH"]}`, HOME: folder },
      encoding: "utf8",
    });
    expect(ran.stderr).toBe("compdef _elwood elwood\n");
    expect(readdirSync(folder)).not.toContain("pwned");
    return ran.stdout.split("\n").filter((each) => each !== "");
  }

  test.each<[string, string[]]>([
    ["elwood sessions show ", ["aaaaaaa1:Holiday: plans", "bbbbbbb2:Tax $(touch pwned)"]],
    ["elwood -m ollama/qwen3:8b sessions export --format ", ["markdown", "json"]],
    ["elwood sessions export --format=j", ["markdown", "json"]],
    ["elwood sessions export -o d", ["files "]],
    ["elwood --home ", ["files -/"]],
    ["elwood sessions show aaaaaaa1 ", []],
    ["elwood hello ", []],
    ["elwood doctor --lint ", ["error", "warning"]],
  ])("%j offers %j", (line, expected) => {
    expect(offered(line)).toEqual(expected);
  });

  test("commands and options come with their words", () => {
    expect(offered("elwood ")).toContain("up:start it: don't wait");
    expect(offered("elwood -")).toContain("--model:ask this model");
  });
});

test("completion prints a script, and to a person how to load it", async () => {
  const io = testIo({ tty: true });
  expect(await completion(io, commandTree(program()), { shell: "zsh" })).toBe(EXIT.ok);
  expect(io.out()).toMatch(/^#compdef elwood\n/);
  expect(io.err()).toContain("source <(elwood completion zsh)");
});

test.each([undefined, "tcsh"])("completion for %s names the shells there are", async (shell) => {
  const io = testIo({ env: { SHELL: "/usr/bin/fish" } });
  const code = await reporting(io, false, () =>
    completion(io, commandTree(program()), shell === undefined ? {} : { shell }),
  );
  expect(code).toBe(EXIT.usage);
  expect(io.err()).toContain("bash, zsh, fish");
  expect(io.err()).toContain("elwood completion fish");
});

describe("live values", () => {
  const silent: Log = {
    error: () => undefined,
    warn: () => undefined,
    info: () => undefined,
    debug: () => undefined,
  };

  async function setUp() {
    const folder = testFolder();
    const home = join(folder.root, "home");
    mkdirSync(home, { mode: 0o700 });
    const paths = statePaths(home);
    const load = async () => ({ ok: true as const, value: await folder.load() });
    const values = async (kind: string, more: object = {}) => {
      const io = testIo();
      const code = await reporting(io, false, () => completionValues(io, { paths, load, ...more }, kind));
      return { code, lines: io.out().split("\n").slice(0, -1), err: io.err() };
    };
    const write = (path: string, content: string) => folder.write(path, content);
    return { paths, values, write };
  }

  test("sessions come from the database, the last used first, with their titles", async () => {
    const { paths, values } = await setUp();
    const stores = await openStores({ paths, clock: new ManualClock(), log: silent });
    const create = (n: number, title: string) =>
      stores.sessions.create("default", {
        id: `ses_01k9zzzzzzaaaaaaaaaaaaaaa${n}`,
        agentId: "assistant",
        title,
        at: n,
      });
    await create(1, "Tab\there");
    await create(2, "Newer");
    expect(await values("sessions")).toEqual({
      code: EXIT.ok,
      lines: ["aaaaaaa2\tNewer", "aaaaaaa1\tTab here"],
      err: "",
    });
    await stores.close();
  });

  test("models are the configured one, then the well-known ones, each once", async () => {
    const { values, write } = await setUp();
    write("home/config.yaml", "model: ollama/qwen3:8b\n");
    const { lines } = await values("models");
    expect(lines[0]).toBe("ollama/qwen3:8b\tconfigured");
    expect(lines.map((line) => line.split("\t")[0])).toEqual(
      expect.arrayContaining(["anthropic/claude-sonnet-5-5", "demo/scripted"]),
    );
    expect(new Set(lines).size).toBe(lines.length);
  });

  test("agents are the folders of the workspace", async () => {
    const { values, write } = await setUp();
    write("home/workspace/agents/tutor/SOUL.md", "You teach.");
    const { lines } = await values("agents");
    expect(lines.map((line) => line.split("\t")[0])).toEqual(["assistant", "tutor"]);
  });

  test("where nothing is there or everything is broken nothing is offered and nothing is said", async () => {
    const { paths, values, write } = await setUp();
    expect(await values("sessions")).toEqual({ code: EXIT.ok, lines: [], err: "" });
    expect(readdirSync(paths.home)).toEqual([]);
    write("home/elwood.db", "no database at all, but long enough to look like one".repeat(20));
    expect(await values("sessions")).toEqual({ code: EXIT.failed, lines: [], err: "" });
    expect(await values("agents", { load: async () => err("broken") })).toMatchObject({ lines: [], err: "" });
    expect(await values("weather")).toMatchObject({ code: EXIT.usage, lines: [] });
  });
});
