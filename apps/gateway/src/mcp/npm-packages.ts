import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseJson } from "@elwood/core/base/parse-json";
import { showLine } from "@elwood/core/base/show";
import { writeFileAtomic } from "@elwood/platform/atomic-file";
import { isMissing } from "@elwood/platform/system-error";
import { ToolError } from "@elwood/sdk/tool-answer";
import { z } from "zod";
import { MCP_LIMITS } from "./limits.ts";

export interface NpmPackagesDeps {
  /** As the owner calls the server. */
  readonly server: string;
  /** What is to be run, each with its exact version. */
  readonly wanted: readonly string[];
  /** The server's own home folder, in which npm keeps what it fetched. */
  readonly home: string;
  /** What they were the first time. The server itself does not see it. */
  readonly file: string;
  /** Has npm fetch them; runs nothing of them. */
  readonly fetch: () => Promise<void>;
  /** Lets packages that must be built do it, in the folder that they lie in. */
  readonly build: (folder: string) => Promise<void>;
}

/** Where a package lies, and which it is: its version, and the hash over its contents that npm checked. */
type Packages = Readonly<Record<string, string>>;

interface Fetched {
  readonly folder: string;
  readonly packages: Packages;
  readonly mustBeBuilt: boolean;
}

/**
 * Holds a server to the packages that it was first started with: the one that the settings name, and all that it
 * depends on, by their hashes. A version alone does not say that: whoever serves it can serve another, and what
 * it depends on is chosen anew each time it is fetched. They are fetched and compared before anything of them
 * runs. Throws a ToolError where they are others.
 */
export async function holdPackages(deps: NpmPackagesDeps): Promise<void> {
  const before = await readHeld(deps);
  let fetched = await readFetched(deps);
  const isThere = fetched !== undefined;
  if (!isThere) await deps.fetch();
  fetched ??= await readFetched(deps);
  if (fetched === undefined)
    throw new ToolError(
      "mcp_unavailable",
      `npm left no list of what it fetched for ${named(deps)}. Nothing was started.`,
    );
  if (before !== undefined) refuseOthers(deps, before, fetched.packages);
  if (fetched.mustBeBuilt && !(isThere && before !== undefined)) await deps.build(fetched.folder);
  if (before !== undefined) return;
  await mkdir(dirname(deps.file), { recursive: true, mode: 0o700 });
  const next: Held = { wanted: [...deps.wanted], packages: fetched.packages };
  await writeFileAtomic(deps.file, JSON.stringify(next), { mode: 0o600 });
}

/** The owner removed the server: if it is added again, what npm has then counts. */
export async function forgetPackages(file: string): Promise<void> {
  await rm(file, { force: true });
}

function refuseOthers(deps: NpmPackagesDeps, before: Packages, now: Packages): void {
  const place = [...Object.keys(now), ...Object.keys(before)].find((each) => before[each] !== now[each]);
  if (place === undefined) return;
  const which = showLine(place.replace(/^.*node_modules\//, ""));
  const change =
    before[place] === undefined
      ? `${which} is new`
      : now[place] === undefined
        ? `${which} is gone`
        : `${which} was ${showLine(before[place])}, and is ${showLine(now[place])} now`;
  const server = showLine(deps.server);
  throw new ToolError(
    "mcp_changed",
    `npm has other packages for ${named(deps)} than when the MCP server "${server}" was added: ${change}. Nothing was started. If you want these, remove it and add it again: elwood mcp remove ${server}`,
  );
}

function named({ wanted }: NpmPackagesDeps): string {
  return showLine(wanted.join(" "));
}

const held = () => z.object({ wanted: z.array(z.string()), packages: z.record(z.string(), z.string()) });
type Held = z.infer<ReturnType<typeof held>>;

async function readHeld({ file, wanted, server }: NpmPackagesDeps): Promise<Packages | undefined> {
  const text = await textOf(file);
  if (text === undefined) return undefined;
  const read = held().safeParse(parseJson(text));
  if (!read.success)
    throw new ToolError(
      "mcp_changed",
      `The list of packages that the MCP server "${showLine(server)}" was first started with cannot be read. Nothing was started. Remove it and add it again: elwood mcp remove ${showLine(server)}`,
    );
  return read.data.wanted.join() === wanted.join() ? read.data.packages : undefined;
}

const lockFile = () =>
  z.object({
    packages: z.record(
      z.string(),
      z.looseObject({
        version: z.string().optional(),
        resolved: z.string().optional(),
        integrity: z.string().optional(),
        hasInstallScript: z.boolean().optional(),
        dependencies: z.record(z.string(), z.string()).optional(),
      }),
    ),
  });

/** What npm has fetched for these packages and no others; it writes its list once it has them all. */
async function readFetched({ home, wanted }: NpmPackagesDeps): Promise<Fetched | undefined> {
  const all = join(home, ".npm", "_npx");
  const versions = wanted.map((each) => each.split(/(?<=.)@/)).map(([name = "", version]) => [name, version]);
  for (const each of await foldersIn(all)) {
    const folder = join(all, each);
    const text = await textOf(join(folder, "package-lock.json"));
    const read = text === undefined ? undefined : lockFile().safeParse(parseJson(text)).data;
    if (read === undefined) continue;
    const { "": root, ...packages } = read.packages;
    const isWanted =
      Object.keys(root?.dependencies ?? {}).length === versions.length &&
      versions.every(([name, version]) => packages[`node_modules/${name}`]?.version === version);
    if (!isWanted) continue;
    const rows = Object.entries(packages);
    return {
      folder,
      packages: Object.fromEntries(
        rows.map(([place, { version = "?", integrity, resolved = "?" }]) => [
          place,
          `${version} (${integrity ?? resolved})`,
        ]),
      ),
      mustBeBuilt: rows.some(([, { hasInstallScript }]) => hasInstallScript === true),
    };
  }
  return undefined;
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Undefined where there is none. */
async function textOf(file: string): Promise<string | undefined> {
  try {
    if ((await stat(file)).size > MCP_LIMITS.packageListBytesMax)
      throw new ToolError(
        "mcp_unavailable",
        `The list of packages in ${showLine(file)} is larger than ${MCP_LIMITS.packageListBytesMax} bytes. Nothing was started.`,
      );
    return await readFile(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
