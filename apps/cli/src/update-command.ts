import { readFileSync } from "node:fs";
import { fail } from "@elwood/core/base/failure";
import { EXIT, type Io } from "./io.ts";
import { fetchArchive, filesIn, newestManifest, registryOf, type Manifest } from "./npm-registry.ts";
import { visibleText } from "./terminal-text.ts";
import { say } from "./words/say.ts";

export interface UpdateDeps {
  readonly version: string;
  /** The CHANGELOG.md that came with this Elwood. */
  readonly changelog: string;
}

export interface UpdateFlags {
  readonly check: boolean;
  readonly notes: boolean;
  readonly json: boolean;
}

const PACKAGE = "elwood";
const LAUNCHER = "apps/cli/bin/elwood.mjs";

/** `elwood update`: says how, and with `--check` whether; it changes nothing, and asks nobody unless told to. */
export async function update(io: Io, deps: UpdateDeps, flags: UpdateFlags): Promise<number> {
  const { version } = deps;
  if (!flags.check) {
    if (flags.json) io.stdout.write(`${JSON.stringify({ version })}\n`);
    else {
      io.stdout.write(
        `${say(io, "This is Elwood {0}. It does not update itself, and asks nobody by itself.", version)}\n`,
      );
      io.stdout.write(
        `${say(io, "Whether there is a newer one, from npm's registry: elwood update --check")}\n`,
      );
      if (flags.notes) io.stdout.write(`\n${visibleText(sectionsOf(installedNotes(deps), []).join("\n"))}`);
    }
    return EXIT.ok;
  }
  const registry = registryOf(io.env);
  const newest = await newestManifest(registry, PACKAGE);
  if (newest === undefined || newest.bin?.[PACKAGE] !== LAUNCHER)
    return fail(
      "NOT_FOUND",
      `${registry} has no package of this Elwood. Nothing was changed. This is version ${version}.`,
    );
  const isNewer = compareVersions(newest.version, version) > 0;
  const notes = isNewer && flags.notes ? await newerNotes(io, registry, newest, version) : [];
  if (flags.json)
    io.stdout.write(
      `${JSON.stringify({ version, newest: newest.version, isNewer, ...(flags.notes ? { notes: notes.join("\n") } : {}) })}\n`,
    );
  else if (!isNewer) io.stdout.write(`${say(io, "Elwood {0} is the newest there is.", version)}\n`);
  else {
    const to = visibleText(newest.version);
    io.stdout.write(`${say(io, "Elwood {0} is there; this is {1}. Nothing was changed.", to, version)}\n`);
    io.stdout.write(
      `${say(io, "Back up first: elwood backup create. Then: npm install -g {0}@{1}", PACKAGE, to)}\n`,
    );
    if (flags.notes) io.stdout.write(`\n${visibleText(notes.join("\n"))}`);
    else io.stdout.write(`${say(io, "What changed: elwood update --check --notes")}\n`);
  }
  return EXIT.ok;
}

function installedNotes({ changelog }: UpdateDeps): string {
  return readFileSync(changelog, "utf8");
}

async function newerNotes(io: Io, registry: string, newest: Manifest, version: string): Promise<string[]> {
  const { name, dist } = newest;
  const archive = await fetchArchive(registry, { name, version: newest.version, integrity: dist.integrity });
  for await (const { path, content } of filesIn(archive))
    if (path === "CHANGELOG.md") return sectionsOf(content.toString("utf8"), [version]);
  return [`${say(io, "The new version says nothing of what changed.")}\n`];
}

/** The parts of a changelog down to that of a version, which is left out; the first alone where none is named. */
export function sectionsOf(changelog: string, until: readonly string[]): string[] {
  const sections = changelog.split(/^(?=## )/m).slice(1);
  const end = sections.findIndex((section) => until.some((version) => heading(section) === version));
  return sections.slice(0, end < 0 ? 1 : end);
}

function heading(section: string): string {
  return /^## \[?([^\s\]]+)/.exec(section)?.[1] ?? "";
}

/** By numbers, then what is no pre-release before what is one. */
export function compareVersions(a: string, b: string): number {
  const parts = (version: string) => {
    const [plain = "", pre] = version.split("-", 2);
    return { numbers: plain.split(".").map((part) => Number(part) || 0), pre };
  };
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < 3; i++) {
    const difference = (left.numbers[i] ?? 0) - (right.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left.pre === right.pre) return 0;
  if (left.pre === undefined) return 1;
  if (right.pre === undefined) return -1;
  return left.pre < right.pre ? -1 : 1;
}
