import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GatewayClient } from "@elwood/sdk/client";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let gateway: GatewayProcess;
let client: GatewayClient;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "elwood-policy-"));
  gateway = await startGatewayProcess({
    config: [
      "policy:",
      "  rules:",
      "    - tool: files.file.edit",
      "      decision: allow",
      "permissions:",
      "  tool_policy:",
      "    files.file.move: deny",
      "    read_file: ask",
      "files:",
      "  roots:",
      `    - path: ${folder}`,
      "      write: true",
      "",
    ].join("\n"),
  });
  client = await GatewayClient.connect({ url: gateway.url, token: gateway.token });
});
afterAll(async () => {
  await client.close();
  await gateway.kill();
  rmSync(folder, { recursive: true });
});

describe("OA-3 EL-14: policy.explain over the socket", () => {
  const inFolder = (name: string) => join(folder, name);
  const explain = (toolId: string, input: unknown) => client.call("policy.explain", { toolId, input });

  test("a write asks, says which mode asked, and nothing was written", async () => {
    const found = await explain("write_file", { path: inFolder("a.txt"), content: "x" });
    expect(found).toMatchObject({
      toolId: "files.file.write",
      decision: "ask",
      rule: "authority.none",
      layer: 5,
    });
    expect(found.reason).toContain("nothing that you typed asks for it");
    expect(existsSync(inFolder("a.txt"))).toBe(false);
    expect(await client.call("approvals.list", {})).toEqual({ approvals: [] });
  });

  test("the owner's rules speak with the line they stand on", async () => {
    const edit = { path: inFolder("a.txt"), oldText: "a", newText: "b" };
    const moved = await explain("files.file.move", { from: inFolder("a"), to: inFolder("b") });
    const read = await explain("read_file", { path: inFolder("a.txt") });
    const edited = await explain("files.file.edit", edit);
    expect(edited.problems ?? []).toEqual([]);
    expect([moved.decision, moved.rule, moved.layer]).toEqual(["deny", "owner.deny", 2]);
    expect(moved.reason).toContain("config.yaml:7");
    expect([read.decision, read.rule]).toEqual(["ask", "owner.ask"]);
    expect(read.reason).toContain("config.yaml:8");
    expect([edited.decision, edited.rule]).toEqual(["allow", "owner.allow"]);
    expect(edited.reason).toContain("config.yaml:3");
  });

  test("Elwood's own state is denied whatever the rules say", async () => {
    const found = await explain("files.file.write", { path: join(gateway.home, "elwood.db"), content: "x" });
    expect([found.decision, found.layer]).toEqual(["deny", 1]);
  });

  test("an input that does not fit is told before any rule is asked", async () => {
    const found = await explain("files.file.write", { pth: "a.txt", content: "x" });
    expect(found).toMatchObject({ decision: "deny", rule: "input.invalid", layer: 0 });
    expect(found.problems?.join("\n")).toContain('Did you mean "path"?');
  });

  test("a tool that is not there is not found, with the nearest one", async () => {
    await expect(explain("files.file.wriet", {})).rejects.toMatchObject({
      failure: { reason: "NOT_FOUND", message: expect.stringContaining("files.file.write") as string },
    });
  });
});

describe("tools over the socket", () => {
  test("are listed by id in one order, Elwood's own known from the start", async () => {
    const { tools } = await client.call("tools.list", {});
    const ids = tools.map((tool) => tool.toolId);
    expect(ids).toContain("files.file.write");
    expect(ids).toEqual([...ids].sort());
    expect(new Set(tools.map((tool) => tool.standing))).toEqual(new Set(["granted"]));
    const { tool } = await client.call("tools.get", { toolId: "write_file" });
    expect(tool).toMatchObject({ toolId: "files.file.write", labels: { egress: "none" } });
  });

  test("a token for talking may look, and may not reload", async () => {
    const { token } = await client.call("tokens.create", { name: "program", scopes: ["chat"] });
    const other = await GatewayClient.connect({ url: gateway.url, token });
    expect((await other.call("tools.list", {})).tools.length).toBeGreaterThan(0);
    await expect(other.call("tools.reload", {})).rejects.toMatchObject({
      failure: { reason: "SCOPE_MISSING" },
    });
    await other.close();
    expect(await client.call("tools.reload", {})).toEqual({
      added: [],
      changed: [],
      removed: [],
      problems: [],
    });
  });
});
