import { createHash } from "node:crypto";
import { lstat, readFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { SHELL_LIMITS } from "./limits.ts";
import { follow, isInside } from "./places.ts";
import type { Plan } from "./plan.ts";
import { powerOf } from "./programs.ts";
import { showWord } from "./words.ts";

/**
 * What a command would run of the owner's files, with a hash of each: those it names, those its
 * program looks for by itself (a Makefile), and those that such a file names in turn (`source
 * lib.sh`). An answer is bound to these; that there may be others is said, since what a program
 * loads while it runs cannot be known before.
 */
export async function boundFiles(plan: Plan): Promise<string> {
  const { argv, places, program } = plan;
  const found = new Map<string, string>();
  const queue = [
    ...(program.foreign ? [program.path] : []),
    ...argv
      .slice(1)
      .flatMap((arg) => wordsIn(arg))
      .map((word) => resolve(places.cwd, word)),
    ...lookedFor(argv[0] ?? "", program.name).map((name) => resolve(places.cwd, name)),
  ];
  const seen = new Set<string>();
  let left: number = SHELL_LIMITS.boundLooksMax;
  let isCut = false;
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (seen.has(path)) continue;
    seen.add(path);
    if (!isInside(path, places.root)) continue;
    if (found.size >= SHELL_LIMITS.boundFilesMax || left-- <= 0) {
      isCut = true;
      break;
    }
    // What lies outside of the working folder is not touched before somebody has decided.
    const led = await follow(path, [{ written: places.root, real: places.root }]);
    const bytes = led?.whole === true ? await contentOf(led.path) : undefined;
    if (bytes === undefined) continue;
    found.set(path, createHash("sha256").update(bytes).digest("hex").slice(0, HASH_CHARS));
    const text = bytes.subarray(0, SHELL_LIMITS.boundReadBytesMax).toString("utf8");
    // What is not text names nothing.
    if (text.includes("\0")) continue;
    for (const word of namesIn(text)) queue.push(resolve(places.cwd, word), resolve(dirname(path), word));
  }
  const bound = [...found].map(
    ([path, hash]) => `${showWord(relative(places.cwd, path) || path)} sha256 ${hash}`,
  );
  const runsOthers =
    program.foreign || powerOf(program.name) !== undefined || powerOf(argv[0] ?? "") !== undefined;
  const rest = isCut || runsOthers ? ["NOT bound: other files that it runs or loads"] : [];
  const unseen =
    program.unseen === true ? "; outside of the working folder, so its content is not bound" : "";
  return `${unseen}${[...bound, ...rest].map((each, i) => `${i === 0 ? "; " : ", "}${each}`).join("")}`;
}

const HASH_CHARS = 32;

/** Files that a program looks for in the folder where it is started, by its name. */
const LOOKED_FOR: Readonly<Record<string, readonly string[]>> = {
  make: ["GNUmakefile", "makefile", "Makefile"],
  npm: ["package.json", ".npmrc"],
  cargo: ["Cargo.toml", "build.rs", ".cargo/config.toml"],
  cmake: ["CMakeLists.txt", "CMakePresets.json"],
  ninja: ["build.ninja"],
  meson: ["meson.build"],
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml"],
  rake: ["Rakefile", "rakefile", "Rakefile.rb"],
  bundle: ["Gemfile"],
  gradle: ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"],
  mvn: ["pom.xml"],
  ant: ["build.xml"],
  sbt: ["build.sbt"],
  go: ["go.mod"],
  mix: ["mix.exs"],
  composer: ["composer.json"],
  tox: ["tox.ini"],
  nox: ["noxfile.py"],
  pytest: ["conftest.py", "pytest.ini", "pyproject.toml"],
  invoke: ["tasks.py"],
  fab: ["fabfile.py"],
  grunt: ["Gruntfile.js"],
  gulp: ["gulpfile.js"],
  deno: ["deno.json"],
  vagrant: ["Vagrantfile"],
  docker: ["Dockerfile", "compose.yaml", "docker-compose.yml"],
  "ansible-playbook": ["ansible.cfg"],
  "pre-commit": [".pre-commit-config.yaml"],
};
const SAME: Readonly<Record<string, string>> = {
  gmake: "make",
  bmake: "make",
  pnpm: "npm",
  yarn: "npm",
  npx: "npm",
  bun: "npm",
  bunx: "npm",
  mvnw: "mvn",
  gradlew: "gradle",
  podman: "docker",
  bundler: "bundle",
};

function lookedFor(...names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const base = name.split("/").at(-1) ?? name;
    return LOOKED_FOR[SAME[base] ?? base] ?? [];
  });
}

/** An argument, and where it is a script itself (`bash -c "…"`) the words of it; also what an option is given (`-f=x`). */
function wordsIn(argument: string): string[] {
  if (argument.includes("\0")) return [];
  return [argument, ...argument.split(BETWEEN_WORDS), ...argument.split("=")].filter(
    (word) => word !== "" && !word.startsWith("-") && word.length <= PATH_CHARS_MAX,
  );
}

/** Words of a script that look like the name of a file. */
function namesIn(text: string): string[] {
  const words = text.split(BETWEEN_WORDS).filter((word) => /[./]/.test(word) && /^[\w.@+/~-]+$/.test(word));
  return [...new Set(words)].filter((word) => word.length <= PATH_CHARS_MAX);
}

const BETWEEN_WORDS = /[\s;|&<>()"'`$={},:]+/;
const PATH_CHARS_MAX = 1_024;

async function contentOf(path: string): Promise<Buffer | undefined> {
  try {
    const stats = await lstat(path);
    if (!stats.isFile() || stats.size > SHELL_LIMITS.boundFileBytesMax) return undefined;
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}
