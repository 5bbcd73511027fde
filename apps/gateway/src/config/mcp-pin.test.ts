import { expect, test } from "vitest";
import { npmFetch, unpinnedPackage } from "./mcp-pin.ts";

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

test.each([
  ["npx", ["-y", "@scope/server@1.2.3", "/docs"], "npx --package=@scope/server@1.2.3"],
  ["/opt/npx", ["-p", "a@1.0.0", "-p", "b@2.0.0", "serve"], "/opt/npx --package=a@1.0.0 --package=b@2.0.0"],
  [
    "npm",
    ["exec", "--registry=https://npm.example", "--", "server@1.0.0", "--x=1"],
    "npm exec --registry=https://npm.example --package=server@1.0.0",
  ],
  ["npx", ["--package=server@1.0.0", "--call=serve"], "npx --package=server@1.0.0"],
])("what %s %j runs can be fetched alone: %s", (command, args, expected) => {
  const fetch = npmFetch(command, args)!;
  const fixed = ["--yes", "--ignore-scripts", "--loglevel=error", "--update-notifier=false"];
  const words = [fetch.command, ...fetch.args].filter((word) => !fixed.includes(word)).join(" ");
  expect(words).toBe(`${expected} -- node --eval=0`);
  expect(fetch.args).toEqual(expect.arrayContaining(fixed));
});

test.each([
  ["npx", ["./local-server"]],
  ["uvx", ["mcp-server-git==0.6.2"]],
  ["pnpm", ["dlx", "server@2.0.0"]],
  ["node", ["server.js"]],
])("npm fetches nothing for %s %j", (command, args) => {
  expect(npmFetch(command, args)).toBeUndefined();
});
