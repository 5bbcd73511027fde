import { chmodSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openScene, StdioScript, type McpScene } from "../../test/mcp/test-scene.ts";
import { MCP_LIMITS } from "./limits.ts";

/** A folder with programs that do as npm's do: one that fetches what `lock` says and runs the scripted server. */
class Npm extends StdioScript {
  constructor() {
    super({ tools: [{ name: "echo" }] });
    const { command = "", args = [] } = super.settings;
    const log = `echo "\${0##*/} $* offline=$npm_config_offline" >> ${this.dir}/runs`;
    this.#write(
      "npx",
      `${log}
case "$*" in
  *"-- node --eval=0") test -e ${this.dir}/lock || exit 7; mkdir -p "$HOME/.npm/_npx/1a2b" && cp ${this.dir}/lock "$HOME/.npm/_npx/1a2b/package-lock.json";;
  *) exec ${[command, ...args].join(" ")};;
esac`,
    );
    this.#write("npm", log);
    writeFileSync(join(this.dir, "runs"), "");
  }

  /** What there is to be fetched from now on: the server, and a package that it depends on. */
  serves(dependency: string, more: object = {}): void {
    const packages = {
      "": { dependencies: { "@scope/server": "^1.2.3" } },
      "node_modules/@scope/server": { version: "1.2.3", integrity: "sha512-server" },
      "node_modules/left": { version: "2.0.0", integrity: dependency, ...more },
    };
    writeFileSync(join(this.dir, "lock"), JSON.stringify({ lockfileVersion: 3, packages }));
  }

  get runs(): readonly string[] {
    return readFileSync(join(this.dir, "runs"), "utf8").split("\n").filter(Boolean);
  }

  override get settings() {
    return { command: join(this.dir, "npx"), args: ["-y", "@scope/server@1.2.3"] };
  }

  #write(name: string, script: string): void {
    writeFileSync(join(this.dir, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(this.dir, name), 0o755);
  }
}

const FETCH =
  "npx --yes --ignore-scripts --loglevel=error --update-notifier=false --package=@scope/server@1.2.3 -- node --eval=0 offline=";
const START = "npx -y @scope/server@1.2.3 offline=true";

let npm: Npm;
let scene: McpScene;
beforeEach(async () => {
  npm = new Npm();
  scene = await openScene({ notes: npm.settings });
});
afterEach(async () => {
  await scene[Symbol.asyncDispose]();
  npm[Symbol.dispose]();
});

const fetched = () => join(scene.home, "mcp/notes/home/.npm/_npx/1a2b");

test("mcp-273: a server behind npx is fetched before anything of it runs, and from then on started from what was fetched", async () => {
  npm.serves("sha512-left");
  expect(await scene.servers.test("notes")).toMatchObject({ state: "running" });
  expect(npm.runs).toEqual([FETCH, START]);
  await scene.servers.restart("notes");
  expect(npm.runs).toEqual([FETCH, START, START]);
});

test("mcp-273: one package that is another than at the first start, and nothing is started until the owner has added it again", async () => {
  npm.serves("sha512-left");
  await scene.servers.test("notes");
  rmSync(fetched(), { recursive: true });
  npm.serves("sha512-evil");
  await expect(scene.servers.restart("notes")).rejects.toThrow(
    /left was 2\.0\.0 \(sha512-left\), and is 2\.0\.0 \(sha512-evil\) now\. Nothing was started\..*elwood mcp remove notes/,
  );
  await expect(scene.servers.test("notes"), "it stays so").rejects.toThrow(/sha512-evil/);
  expect(npm.runs).toEqual([FETCH, START, FETCH]);
  await scene.servers.configure({});
  await scene.servers.configure({ notes: npm.settings });
  expect(await scene.servers.test("notes")).toMatchObject({ state: "running" });
});

test("packages that must be built are, once they have been looked at", async () => {
  npm.serves("sha512-left", { hasInstallScript: true });
  await scene.servers.test("notes");
  await scene.servers.restart("notes");
  const build = `npm rebuild --prefix ${fetched()} offline=`;
  expect(npm.runs).toEqual([FETCH, build, START, START]);
});

test("where nothing can be fetched, or no list of it can be read, nothing is started", async () => {
  await expect(scene.servers.test("notes")).rejects.toThrow(
    /fetching @scope\/server@1\.2\.3 came to nothing: it ended with code 7/,
  );
  writeFileSync(join(npm.dir, "lock"), "{");
  await expect(scene.servers.test("notes")).rejects.toThrow(/npm left no list of what it fetched/);
  truncateSync(join(fetched(), "package-lock.json"), MCP_LIMITS.packageListBytesMax + 1);
  await expect(scene.servers.test("notes")).rejects.toThrow(/is larger than 16777216 bytes/);
  npm.serves("sha512-left");
  rmSync(fetched(), { recursive: true });
  await scene.servers.test("notes");
  writeFileSync(join(scene.home, "mcp/notes/packages.json"), "{");
  await expect(scene.servers.restart("notes")).rejects.toThrow(/cannot be read\. Nothing was started\./);
  expect(npm.runs.filter((run) => run === START)).toHaveLength(1);
});
