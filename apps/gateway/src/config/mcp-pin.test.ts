import { expect, test } from "vitest";
import { unpinnedPackage } from "./mcp-pin.ts";

test.each([
  ["npx", ["-y", "@scope/server", "/docs"], "@scope/server"],
  ["npx", ["-y", "server"], "server"],
  ["npx", ["server@latest"], "server@latest"],
  ["npx", ["server@^1.2.3"], "server@^1.2.3"],
  ["npx", ["-y", "@scope/server@1.2.3", "/docs"], undefined],
  ["npx", ["server@1.2.3-beta.1"], undefined],
  ["npx", ["--package=server", "-c", "serve"], "server"],
  ["npx", ["-p", "server@1.2.3", "serve"], undefined],
  ["npx", ["./local-server"], undefined],
  ["npx", [], "npx"],
  ["/usr/bin/npx", ["server"], "server"],
  ["npx -y server", [], "server"],
  ["npm", ["exec", "server"], "server"],
  ["npm", ["run", "server"], undefined],
  ["pnpm", ["dlx", "server@2.0.0"], undefined],
  ["uvx", ["mcp-server-git"], "mcp-server-git"],
  ["uvx", ["mcp-server-git==0.6.2"], undefined],
  ["node", ["server.js"], undefined],
  ["mcp-files", ["--root", "/srv"], undefined],
])("EL-16: %s %j fetches without an exact version: %s", (command, args, expected) => {
  expect(unpinnedPackage(command, args)).toBe(expected);
});
