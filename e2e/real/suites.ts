/** Suites against real servers of others, which `npm run test:real` runs and `npm test` does not. */
export interface RealSuite {
  readonly name: string;
  /** Where its tests are, from the project's root. */
  readonly file: string;
  /** What must be installed, and how. */
  readonly needs: string;
}

export const REAL_SUITES: readonly RealSuite[] = [
  {
    name: "radicale",
    file: "integrations/calendar/test-radicale.ts",
    needs: "the CalDAV server radicale: apt-get install radicale",
  },
  {
    name: "mcp",
    file: "apps/gateway/test/mcp/test-real-servers.ts",
    needs: "npm's registry, for three MCP servers and the conformance suite; they go to the temporary folder",
  },
  {
    name: "openapi",
    file: "apps/gateway/test/openapi/test-real-validator.ts",
    needs: "npm's registry, for a validator of OpenAPI documents; it goes to the temporary folder",
  },
  {
    name: "package",
    file: "e2e/real/package.ts",
    needs: "npm's registry, and two minutes: the package is installed and used as its user would",
  },
  {
    name: "update",
    file: "e2e/real/update.ts",
    needs:
      "npm's registry, git's history and ten minutes: the first package is built from its commit and used, then this one on the same home; ELWOOD_TEST_OLD_PACKAGE names another package to begin with",
  },
  {
    name: "sdk",
    file: "e2e/real/sdk.ts",
    needs:
      "npm's registry, Chromium and five minutes: the SDK is packed, installed and used, also under Node 20, 22 and 24",
  },
  {
    name: "sdk-comparison",
    file: "e2e/real/sdk-comparison.ts",
    needs:
      "npm's registry, a gigabyte of disk and five minutes: programs of docs/sdk-comparison.md are run with the SDKs that it compares, against a model on this machine",
  },
  {
    name: "container",
    file: "e2e/real/container.ts",
    needs:
      "buildah, root, npm's registry and five minutes: apt-get install buildah; the base image comes from docker.io, or is the one that ELWOOD_TEST_BASE names",
  },
  {
    name: "nix",
    file: "e2e/real/nix.ts",
    needs:
      "nix and systemd-analyze: apt-get install nix-bin systemd; nothing is built, the module is evaluated",
  },
  {
    name: "terminal",
    file: "e2e/test-terminal.ts",
    needs: "tmux, in which the chat is driven with real keys: apt-get install tmux",
  },
];
