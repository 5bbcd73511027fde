import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { IntegrationFiles } from "./integration-files.ts";
import { WORKSPACE_LIMITS } from "./limits.ts";
import type { ModuleProblem } from "./module-problem.ts";

/**
 * Checks the types of an integration's modules and tests, by the compiler itself. It is given
 * a copy of the sources in a folder of its own, so that what is checked is what was read; data
 * files are left out, since a compiler quotes what it reads.
 */
export async function checkTypes(files: IntegrationFiles): Promise<ModuleProblem[]> {
  const folder = await mkdtemp(join(tmpdir(), "elwood-tools-"));
  try {
    const texts = [...files.sources, ...files.tests].filter(([path]) => !path.endsWith(".json"));
    for (const [path, text] of texts) await put(join(folder, "tool", path), text);
    await put(join(folder, "around.d.ts"), AROUND);
    const paths = texts.map(([path]) => `tool/${path}`);
    await put(join(folder, "tsconfig.json"), JSON.stringify(configFor(paths)));
    const ran = await run(folder);
    if (ran === undefined) {
      const seconds = WORKSPACE_LIMITS.checkMs / 1_000;
      const message = `the type check did not end within ${seconds} seconds, and was ended.`;
      return [{ integration: files.name, file: `tools/${files.name}`, message }];
    }
    return problemsIn(ran, files.name);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const BUILT_IN = [
  "assert",
  "assert/strict",
  "buffer",
  "crypto",
  "events",
  "path",
  "querystring",
  "string_decoder",
  "test",
  "timers/promises",
  "url",
  "util",
  "zlib",
];

/** Of Node there are no types to be had where Elwood is installed; what may be imported of it may be used freely. */
const AROUND = [
  ...BUILT_IN.map((name) => `declare module "node:${name}";`),
  'declare module "*.json" { const value: any; export default value; }',
  "declare const Buffer: any;",
  "declare const process: any;",
].join("\n");

function configFor(paths: readonly string[]) {
  const place = (name: string) => fileURLToPath(import.meta.resolve(name));
  const core = dirname(place("@elwood/core/base/result"));
  return {
    compilerOptions: {
      strict: true,
      noEmit: true,
      allowJs: true,
      allowImportingTsExtensions: true,
      erasableSyntaxOnly: true,
      module: "esnext",
      moduleResolution: "bundler",
      moduleDetection: "force",
      target: "es2024",
      lib: ["es2024", "esnext.promise", "dom", "dom.iterable"],
      types: [],
      skipLibCheck: true,
      paths: {
        "@elwood/sdk/tool": [place("@elwood/sdk/tool")],
        "@elwood/core/*": [`${core}/*.ts`],
        zod: [place("zod").replace(/\.js$/, ".d.ts")],
      },
    },
    files: ["around.d.ts", ...paths],
  };
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** undefined where it took too long. */
function run(folder: string): Promise<string | undefined> {
  const tsc = join(dirname(fileURLToPath(import.meta.resolve("typescript/package.json"))), "bin", "tsc");
  const { checkMs, outputBytesMax } = WORKSPACE_LIMITS;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [tsc, "-p", folder, "--pretty", "false"], {
      cwd: folder,
      env: { GOMAXPROCS: "2" },
      stdio: ["ignore", "pipe", "ignore"],
      timeout: checkMs,
      killSignal: "SIGKILL",
    });
    let output = "";
    child.stdout.on("data", (data: Buffer) => {
      if (output.length < outputBytesMax) output += data.toString();
    });
    child.once("error", reject);
    child.once("close", (_code, signal) => resolve(signal === null ? output : undefined));
  });
}

function problemsIn(output: string, name: string): ModuleProblem[] {
  const problems: { -readonly [K in keyof ModuleProblem]: ModuleProblem[K] }[] = [];
  for (const line of output.split("\n")) {
    const found = /^tool\/(.*?)\((\d+),(\d+)\): error TS\d+: (.*)$/.exec(line);
    const last = problems.at(-1);
    if (found)
      problems.push({
        integration: name,
        file: `tools/${name}/${found[1]}`,
        line: Number(found[2]),
        column: Number(found[3]),
        message: found[4]!,
      });
    else if (last && /^ {2}\S/.test(line)) last.message += ` ${line.trim()}`;
  }
  return problems.slice(0, WORKSPACE_LIMITS.checkProblemsMax);
}
