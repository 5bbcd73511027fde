import { createHash } from "node:crypto";
import { relative } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification, type Vitest } from "vitest/node";

/** They need nothing that is built. */
const PLAIN = ["core", "runtime", "sdk", "platform", "testkit"].map(
  (name) => `packages/${name}/**/*.test.ts`,
);

/**
 * Files that look at the process they run in, change it, or drive a whole Elwood from outside. All others share
 * processes: starting one, with all that a file imports, costs more than most of them do.
 */
const APART = [
  "apps/cli/src/up-command.test.ts",
  "apps/gateway/src/browser/**/*.test.ts",
  "apps/gateway/src/mcp/mcp-server.test.ts",
  "apps/gateway/src/server/connection.test.ts",
  "apps/gateway/test/crash/**/*.test.ts",
  "bench/**/*.test.ts",
  "e2e/**/*.test.ts",
  "integrations/shell/cage.test.ts",
];

/** The page in a browser. Files share processes, and with them a browser. */
const PAGES = ["e2e/page.test.ts", "e2e/page-*.test.ts"];

const NEVER = "**/node_modules/**";

/** Files that take longest, which come first: begun last, one of them would run on alone. */
const LONG = [
  "apps/gateway/test/crash/matrix.test.ts",
  "e2e/recorded/recorded.test.ts",
  "e2e/page-quality.test.ts",
  "apps/gateway/test/replies/structural.test.ts",
  "e2e/page-live.test.ts",
  "apps/gateway/test/erase/erase-killed.test.ts",
  "e2e/cli-ask.test.ts",
  "e2e/page-welcome.test.ts",
  "e2e/page-drawer.test.ts",
  "e2e/cli.test.ts",
  "e2e/page-input.test.ts",
  "e2e/page-told-once.test.ts",
  "e2e/heavy-load.test.ts",
  "e2e/page-approval.test.ts",
  "e2e/page-chat.test.ts",
  "e2e/long-conversation.test.ts",
  "apps/gateway/test/tool-host/tool-workspace.test.ts",
  "e2e/talk.test.ts",
  "bench/injection/injection.test.ts",
  "e2e/page-crowd.test.ts",
  "apps/gateway/test/erase/erase.test.ts",
  "apps/gateway/test/who-said/cases.test.ts",
];

/**
 * Another order in every run, so that no file comes to need another one before it; but those of a
 * project stand together. A process is kept for the next file only if that one is of its project.
 */
class TestOrder extends BaseSequencer {
  readonly #vitest: Vitest;

  constructor(vitest: Vitest) {
    super(vitest);
    this.#vitest = vitest;
  }

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, sequence } = this.#vitest.config;
    const rank = ({ project, moduleId }: TestSpecification): string => {
      const path = relative(root, moduleId);
      const drawn = createHash("sha1").update(`${sequence.seed} ${path}`).digest("hex");
      return `${project.name} ${LONG.includes(path) ? "first" : "then"} ${drawn}`;
    };
    const ranks = new Map(files.map((file) => [file, rank(file)]));
    return files.toSorted((a, b) => (ranks.get(a)! < ranks.get(b)! ? -1 : 1));
  }
}

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "unbuilt", isolate: false, include: PLAIN } },
      {
        extends: true,
        test: {
          name: "shared",
          isolate: false,
          globalSetup: ["scripts/vitest-setup.mjs"],
          include: [
            "packages/**/*.test.ts",
            "apps/**/*.test.ts",
            "integrations/**/*.test.ts",
            "channels/**/*.test.ts",
            "scripts/**/*.test.ts",
          ],
          exclude: [NEVER, ...PLAIN, ...APART],
        },
      },
      {
        extends: true,
        test: {
          name: "apart",
          globalSetup: ["scripts/vitest-setup.mjs"],
          include: APART,
          exclude: [NEVER, ...PAGES],
        },
      },
      {
        extends: true,
        test: {
          name: "pages",
          isolate: false,
          globalSetup: ["scripts/vitest-setup.mjs"],
          include: PAGES,
          exclude: [NEVER],
        },
      },
    ],
    pool: "forks",
    // Much of the suite waits for real processes: with two at a time, two cores were idle for almost half of the run.
    maxWorkers: 3,
    // Limits for what hangs, not for what is slow: what takes two seconds here may take forty on a busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Something that is waited for on a busy machine; what never comes still fails well before its test does.
    expect: { poll: { timeout: 60_000 } },
    // A failure must reproduce alone and in any company.
    sequence: { shuffle: { files: true, tests: false }, sequencer: TestOrder },
    unstubEnvs: true,
  },
});
