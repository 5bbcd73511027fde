import { expect, test } from "vitest";
import { readServer, type WrittenServer } from "./server-settings.ts";

const read = (written: WrittenServer, name = "demo") => readServer(name, written, "/home/me/.elwood");
const off = (written: WrittenServer) => read(written).off;

test("a command and an address are read, each with what belongs to it", () => {
  expect(read({ command: "npx", args: ["-y", "server@1.2.3"], env: { TOKEN: "t" } })).toMatchObject({
    settings: { part: "demo", way: { kind: "stdio", network: true, folders: [] }, timeoutMs: 60_000 },
  });
  expect(read({ url: "https://mcp.example/mcp#x", timeoutMs: 5_000 })).toMatchObject({
    settings: { way: { kind: "http", url: "https://mcp.example/mcp" }, timeoutMs: 5_000 },
  });
});

test.each([
  [{}, "either `command`"],
  [{ command: "a", url: "https://a.example" }, "either `command`"],
  [{ command: "a", enabled: false }, "`enabled: false`"],
  [{ command: "npx", args: ["-y", "server"] }, "Name an exact version"],
  [
    { command: "a", env: { NODE_OPTIONS: "--require x" } },
    "NODE_OPTIONS can make its program run something else",
  ],
  [{ command: "a", env: { LD_PRELOAD: "/tmp/x.so" } }, "LD_PRELOAD"],
  [{ command: "a", env: { bash_env: "/tmp/x" } }, "bash_env"],
  [{ command: "a", env: { PATH: "/tmp" } }, "PATH"],
  [{ command: "a", env: { ELWOOD_TOKEN: "x" } }, "ELWOOD_TOKEN"],
  [{ command: "a", env: { "A B": "x" } }, "no name of a variable"],
  [{ command: "a", env: { TOKEN: "${GITHUB_TOKEN}" } }, "the variable GITHUB_TOKEN, which is not set"],
  [{ command: "a", folders: ["relative"] }, "no full path"],
  [{ command: "a", folders: ["/home/me/.elwood/keys"] }, "Elwood's own folder"],
  [{ command: "a", cwd: "/home/me/.elwood" }, "Elwood's own folder"],
  [{ url: "file:///etc/passwd" }, "no address"],
  [{ url: "https://me:secret@mcp.example/" }, "has a password in it"],
  [{ url: "https://mcp.example/", args: ["x"] }, "belong to a `command`"],
  [{ command: "a", oauth: { id: "x" } }, "`oauth` belongs to a `url`"],
  [{ url: "https://mcp.example/", oauth: { id: "x", secret: "${ID_SECRET}" } }, "the variable ID_SECRET"],
  [{ url: "https://mcp.example/", oauth: { secret: "x" } }, "no `id` of the client"],
  [{ url: "https://mcp.example/", oauth: { scopes: ["read write"] } }, "`read write` is no scope"],
] as [WrittenServer, string][])("mcp-272, mcp-273: %j is off, and says why", (written, why) => {
  expect(off(written)).toContain(why);
});

test("with another command, other arguments or another address it is another server; a renewed secret changes nothing", () => {
  const identity = (written: WrittenServer) => {
    const server = read(written);
    return server.off === undefined ? server.settings.identity : server.off;
  };
  const first = identity({ command: "a", args: ["1"], env: { TOKEN: "old" } });
  expect(identity({ command: "a", args: ["1"], env: { TOKEN: "new" } })).toBe(first);
  expect(identity({ command: "a", args: ["2"], env: { TOKEN: "old" } })).not.toBe(first);
  expect(identity({ command: "b", args: ["1"], env: { TOKEN: "old" } })).not.toBe(first);
  expect(identity({ url: "https://a.example/mcp" })).not.toBe(identity({ url: "https://b.example/mcp" }));
});
