import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { startMcpHttp, type McpHttpServer } from "@elwood/testkit/mcp-http-server";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER_PATH, launchBrowser, openTab } from "./page-browser.ts";
import { logIn } from "./page-talk.ts";

describe.skipIf(!BROWSER_PATH)("MCP servers on the page (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let server: McpHttpServer;
  let gateway: GatewayProcess;
  beforeAll(async () => {
    server = await startMcpHttp({
      tools: [
        { name: "search_pages", description: "Searches.", annotations: { readOnlyHint: true } },
        { name: "delete_page", description: "Deletes.", annotations: { destructiveHint: true } },
      ],
      resources: { "page://home": "Welcome." },
      prompts: { review: "Review the work of {who}." },
    });
    [browser, gateway] = await Promise.all([launchBrowser(), startGatewayProcess({})]);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.kill();
    await server?.[Symbol.asyncDispose]();
  });

  test("one is added with a live test, its tools are labelled, and it is removed again", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, `${gateway.url}/connections`, gateway.token);
    const list = page.locator("elwood-mcp-list");
    await list.getByRole("button", { name: "Add an MCP server" }).click();
    await list.getByLabel("Name").fill("wiki");
    await list.getByLabel("Address, or command").fill("npx -y some-server");
    await list.getByRole("button", { name: "Add and test" }).click();
    await list.getByRole("alert").waitFor();
    expect(await list.getByRole("alert").textContent()).toContain("exact version");

    await list.getByLabel("Address, or command").fill(server.url);
    await list.getByLabel("Token, if").fill("canary-key-00112233");
    await list.getByRole("button", { name: "Add and test" }).click();
    const row = list.locator(".profile", { hasText: "wiki" });
    await row.getByText("running", { exact: true }).waitFor();
    const written = readFileSync(join(gateway.home, "config.yaml"), "utf8");
    expect(written).toContain("wiki");
    expect(written).not.toContain("canary");

    const search = row.getByLabel("What mcp-wiki.search_pages.call does");
    expect(await search.locator("option", { hasText: "suggested" }).textContent()).toContain("only reads");
    await search.selectOption("reads");
    await expect.poll(() => search.inputValue()).toBe("reads");
    await row.getByRole("button", { name: "More" }).click();
    await row.getByText("@wiki:page://home").waitFor();
    await row.getByLabel("who").fill("Ann");
    await row.getByRole("button", { name: "Show it" }).click();
    await row.getByText("Review the work of Ann.").waitFor();
    await row.getByRole("button", { name: "Log", exact: true }).click();
    await row.getByText("lists 2 tools").waitFor();

    await row.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Remove it" }).click();
    await list.getByText("No MCP servers yet.").waitFor();
    expect(tab.faults).toEqual([]);
  });
});
