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
    name: "package",
    file: "e2e/real/package.ts",
    needs: "npm's registry, and two minutes: the package is installed and used as its user would",
  },
  {
    name: "terminal",
    file: "e2e/test-terminal.ts",
    needs: "tmux, in which the chat is driven with real keys: apt-get install tmux",
  },
];
