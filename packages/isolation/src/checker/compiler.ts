import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PROGRAM_LIB } from "@elwood/runtime/programs/globals";
import type { FileSystem } from "typescript/unstable/fs";
import type { API, Snapshot } from "typescript/unstable/sync";
import { DROP_CHECKS } from "./drop-checks.ts";

/** What the compiler found in the program's file, by position. */
export interface Finding {
  readonly at: number;
  readonly code: number;
  readonly message: string;
}

/** TypeScript, however it is reached. `diagnose` waits: it runs in a process of its own. */
export interface Compiler {
  diagnose(declarations: string, program: string): Finding[];
  close(): void;
}

const CONFIG = JSON.stringify({
  compilerOptions: {
    strict: true,
    // Models write `catch (error) { error.message }`, and it does no harm.
    useUnknownInCatchVariables: false,
    allowUnreachableCode: true,
    allowUnusedLabels: true,
    erasableSyntaxOnly: true,
    moduleDetection: "force",
    module: "esnext",
    moduleResolution: "bundler",
    target: "es2024",
    lib: PROGRAM_LIB,
    types: [],
    noEmit: true,
    skipLibCheck: true,
  },
  files: ["tools.d.ts", "elwood.d.ts", "main.ts"],
});

const ROOT = "/elwood-check";
const MAIN = `${ROOT}/main.ts`;

/** The compiler kept warm: a native process that is handed the files from memory. */
export async function warmCompiler(): Promise<Compiler> {
  // The compiler's interface is only for the process that keeps it warm.
  const { API } = await import("typescript/unstable/sync");
  return new WarmCompiler((fs) => new API({ cwd: "/", fs }));
}

class WarmCompiler implements Compiler {
  readonly #files = new Map([
    [`${ROOT}/tsconfig.json`, CONFIG],
    [`${ROOT}/elwood.d.ts`, DROP_CHECKS],
    [`${ROOT}/tools.d.ts`, ""],
    [MAIN, ""],
  ]);
  readonly #api: API;
  #snapshot: Snapshot | undefined;

  constructor(start: (fs: FileSystem) => API) {
    const inside = (path: string) => path === ROOT || path.startsWith(`${ROOT}/`);
    this.#api = start({
      // undefined leaves it to the disk, where the language's own library lies.
      readFile: (path) => this.#files.get(path) ?? (inside(path) ? null : undefined),
      fileExists: (path) => (inside(path) ? this.#files.has(path) : undefined),
      directoryExists: (path) => (inside(path) ? path === ROOT : undefined),
      getAccessibleEntries: (path) =>
        path === ROOT
          ? { files: [...this.#files.keys()].map((each) => each.slice(ROOT.length + 1)), directories: [] }
          : undefined,
    });
  }

  diagnose(declarations: string, program: string): Finding[] {
    const changed = [MAIN];
    if (this.#files.get(`${ROOT}/tools.d.ts`) !== declarations) changed.push(`${ROOT}/tools.d.ts`);
    this.#files.set(`${ROOT}/tools.d.ts`, declarations);
    this.#files.set(MAIN, program);
    const before = this.#snapshot;
    this.#snapshot = this.#api.updateSnapshot(
      before ? { fileChanges: { changed } } : { openProjects: [`${ROOT}/tsconfig.json`] },
    );
    before?.dispose();
    const project = this.#snapshot.getProject(`${ROOT}/tsconfig.json`);
    if (!project) throw new Error("the compiler did not open the project");
    const syntactic = project.program.getSyntacticDiagnostics(MAIN);
    const found = syntactic.length > 0 ? syntactic : project.program.getSemanticDiagnostics(MAIN);
    return found.map((each) => ({ at: each.pos, code: each.code, message: chainText(each) }));
  }

  close(): void {
    try {
      this.#api.close();
    } catch {
      // Its process is gone already.
    }
  }
}

interface Chained {
  readonly text: string;
  readonly messageChain?: readonly Chained[] | undefined;
}

const CHAIN_MAX = 3;

function chainText(found: Chained, depth = 0): string {
  const inner = depth < CHAIN_MAX ? (found.messageChain ?? []) : [];
  return [found.text, ...inner.map((each) => chainText(each, depth + 1))].join(" ");
}

/** The same by starting the compiler anew for each program: slower, and free of its programming interface. */
export async function commandCompiler(timeoutMs: number): Promise<Compiler> {
  const tsc = fileURLToPath(import.meta.resolve("typescript/package.json")).replace(
    /package\.json$/,
    "bin/tsc",
  );
  return {
    diagnose(declarations, program) {
      const folder = mkdtempSync(join(tmpdir(), "elwood-check-"));
      try {
        writeFileSync(join(folder, "tsconfig.json"), CONFIG);
        writeFileSync(join(folder, "tools.d.ts"), declarations);
        writeFileSync(join(folder, "elwood.d.ts"), DROP_CHECKS);
        writeFileSync(join(folder, "main.ts"), program);
        const ran = spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], {
          cwd: folder,
          encoding: "utf8",
          timeout: timeoutMs,
          killSignal: "SIGKILL",
          maxBuffer: OUTPUT_BYTES_MAX,
        });
        if (ran.error) throw ran.error;
        if (ran.status === null) throw new Error("the compiler was ended");
        return findingsIn(ran.stdout, program);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    close() {
      // Nothing is kept.
    },
  };
}

const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;

function findingsIn(output: string, program: string): Finding[] {
  const starts = [0];
  for (const { 0: end, index } of program.matchAll(/\r\n|[\n\r\u2028\u2029]/g))
    starts.push(index + end.length);
  const findings: { at: number; code: number; message: string }[] = [];
  let last: (typeof findings)[number] | undefined;
  for (const line of output.split("\n")) {
    const found = /^(.*?)\((\d+),(\d+)\): error TS(\d+): (.*)$/.exec(line);
    if (found) {
      last = undefined;
      if (!found[1]!.endsWith("main.ts")) continue;
      last = {
        at: starts[Number(found[2]) - 1]! + Number(found[3]) - 1,
        code: Number(found[4]),
        message: found[5]!,
      };
      findings.push(last);
    } else if (last && /^ {2}\S/.test(line)) last.message += ` ${line.trim()}`;
  }
  return findings;
}
