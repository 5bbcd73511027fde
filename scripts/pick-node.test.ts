import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, expect, test } from "vitest";

const script = join(import.meta.dirname, "pick-node.sh");
const scratch = mkdtempSync(join(tmpdir(), "elwood-pick-node-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const saysVersion = (text: string) => `#!/bin/sh\necho '${text}'\n`;
const RUNS = saysVersion("v24.21.0");
const CANNOT_RUN = "#!/no/such/loader\n";

let folders = 0;

/** Runs the script in a fresh folder, on a path with npm's folder first and a system Node behind it. */
function pick(parts: { system?: string; bundled?: string; dangling?: boolean }) {
  const root = join(scratch, String(folders++));
  const bin = join(root, "node_modules/.bin");
  const system = join(root, "usr/bin");
  mkdirSync(bin, { recursive: true });
  mkdirSync(system, { recursive: true });
  if (parts.system !== undefined) writeFileSync(join(system, "node"), parts.system, { mode: 0o755 });
  if (parts.bundled !== undefined) {
    writeFileSync(join(root, "node_modules/bundled"), parts.bundled, { mode: 0o755 });
  }
  if (parts.bundled !== undefined || parts.dangling) symlinkSync("../bundled", join(bin, "node"));
  // The tools that the script uses, and no Node but the ones laid out above.
  for (const tool of ["sh", "tr", "grep", "paste", "sed", "tail", "rm"]) {
    symlinkSync(whereIs(tool), join(system, tool));
  }
  const result = spawnSync(whereIs("sh"), [script], {
    cwd: root,
    encoding: "utf8",
    env: { PATH: `${bin}:${join(root, "..", "node_modules/.bin")}:${system}` },
  });
  return {
    status: result.status,
    output: result.stdout + result.stderr,
    kept: lstatSync(join(bin, "node"), { throwIfNoEntry: false }) !== undefined,
  };
}

function whereIs(tool: string): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const found = folders.map((folder) => join(folder, tool)).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`${tool} is not on the path`);
  return found;
}

test.each([
  ["v24.15.0"],
  ["v24.21.0"],
  ["v25.0.0"],
  ["v25.9.0"],
  ["v26.0.0"],
  ["v26.0.0-nightly20260401abcdef"],
  ["v100.1.0"],
])("a system Node of %s is new enough: the bundled one steps aside", (version) => {
  expect(pick({ system: saysVersion(version), bundled: RUNS })).toEqual({
    status: 0,
    output: "",
    kept: false,
  });
});

test.each([["v14.21.3"], ["v20.20.2"], ["v22.23.3"], ["v24.0.0"], ["v24.9.0"], ["v24.14.1"]])(
  "a system Node of %s is too old: the bundled one stays",
  (version) => {
    expect(pick({ system: saysVersion(version), bundled: RUNS })).toEqual({
      status: 0,
      output: "",
      kept: true,
    });
  },
);

test.each([[""], ["hello"], ["24.21.0"], ["v24"], ["vx.y.z"], ["v24.x.0"]])(
  "a system Node that answers “%s” is not trusted: the bundled one stays",
  (answer) => {
    expect(pick({ system: saysVersion(answer), bundled: RUNS })).toEqual({
      status: 0,
      output: "",
      kept: true,
    });
  },
);

test("what a version manager prints before the version does not matter", () => {
  expect(
    pick({ system: "#!/bin/sh\necho 'Using Node v18.0.0 for v8'\necho v24.21.0\n", bundled: RUNS }).kept,
  ).toBe(false);
});

test("a bundled Node that cannot run here is removed, whatever else there is", () => {
  expect(pick({ system: saysVersion("v20.20.2"), bundled: CANNOT_RUN }).kept).toBe(false);
  expect(pick({ bundled: CANNOT_RUN }).kept).toBe(false);
  expect(pick({ bundled: "#!/bin/sh\nexit 127\n" }).kept).toBe(false);
});

test("a link that leads nowhere is removed", () => {
  expect(pick({ system: saysVersion("v20.20.2"), dangling: true }).kept).toBe(false);
});

test("a system without a Node of its own keeps the bundled one", () => {
  expect(pick({ bundled: RUNS })).toEqual({ status: 0, output: "", kept: true });
});

test("where no bundled Node was installed nothing happens", () => {
  expect(pick({ system: saysVersion("v20.20.2") })).toEqual({ status: 0, output: "", kept: false });
});

test("the script, the launcher and package.json agree on the oldest Node", () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, "..", path), "utf8");
  const needed = /"node": ">=(\d+)\.(\d+)"/.exec(read("package.json"))!;
  const [major, minor] = needed.slice(1).map(Number);
  for (const path of ["apps/cli/bin/node-version.mjs", "apps/gateway/src/doctor/machine.ts"])
    expect(read(path)).toContain(`NODE_NEEDED = "${major}.${minor}"`);
  expect(pick({ system: saysVersion(`v${major}.${minor}.0`), bundled: RUNS }).kept).toBe(false);
  expect(pick({ system: saysVersion(`v${major}.${minor! - 1}.0`), bundled: RUNS }).kept).toBe(true);
});
