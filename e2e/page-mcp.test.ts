import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { LoopbackServer, type Answer } from "@elwood/testkit/loopback-server";
import { startMcpHttp, type McpHttpServer } from "@elwood/testkit/mcp-http-server";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab } from "./page-browser.ts";
import { logIn } from "./page-talk.ts";

describe.skipIf(!BROWSER_PATH)(
  "MCP servers and integrations on the page (ELWOOD_TEST_BROWSER names a browser)",
  () => {
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
      await closeTabs(browser);
      await gateway?.kill();
      await server?.[Symbol.asyncDispose]();
    });

    test("one is added with a live test, its tools are labelled, and it is removed again", async () => {
      await using tab = await openTab(browser);
      const { page } = tab;
      await logIn(page, `${gateway.url}/integrations`, gateway.token);
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
      // A prompt is chosen by its name, filled in, and goes into a message between marks.
      await page.keyboard.press("Control+k");
      await page.locator("dialog.palette input").fill("review");
      await page.getByRole("option", { name: "review of wiki" }).click();
      await row.getByText("@wiki:page://home").waitFor();
      await expect.poll(() => row.getByLabel("who").evaluate((box) => box.matches(":focus"))).toBe(true);
      await row.getByLabel("who").fill("Ann");
      await row.getByRole("button", { name: "Put it into a message" }).click();
      await expect
        .poll(() => page.locator("textarea").inputValue())
        .toBe("> [the prompt review of wiki]\n> Review the work of Ann.\n\n");
      await page.goBack();
      await row.getByRole("button", { name: "Log", exact: true }).click();
      await row.getByText("lists 2 tools").waitFor();

      await row.getByRole("button", { name: "Remove" }).click();
      await page.getByRole("button", { name: "Remove it" }).click();
      await list.getByText("No MCP servers yet.").waitFor();
      expect(tab.faults).toEqual([]);
    });

    test("an integration says what it can do, is connected with a live test, and switched off and on", async () => {
      const github = await new LoopbackServer().start();
      onTestFinished(() => github.close());
      const answer =
        (status: number, body: object): Answer =>
        (exchange) => {
          exchange.head(status, { "content-type": "application/json" });
          exchange.end(JSON.stringify(body));
        };
      await using tab = await openTab(browser);
      const { page } = tab;
      await logIn(page, `${gateway.url}/integrations`, gateway.token);
      const row = page.locator("elwood-integration-list .profile", { hasText: "GitHub" });
      await row.getByText("Write comments, open and change issues").waitFor();
      await row.getByText("not connected", { exact: true }).waitFor();
      await row.getByRole("button", { name: "Connect GitHub" }).click();
      const form = page.getByRole("form", { name: "Connect GitHub" });
      await form.getByLabel("Your repositories").fill("me/notes");
      await form.getByLabel("API address").fill(github.url);
      await form.getByLabel("Personal access token").fill("canary-token-445566");
      github.always("GET /user", answer(401, { message: "Bad credentials" }));
      await form.getByRole("button", { name: "Connect and test" }).click();
      await form.getByRole("alert").waitFor();
      expect(await form.getByRole("alert").textContent()).toContain("Nothing was changed.");
      const settings = () => readFileSync(join(gateway.home, "config.yaml"), "utf8");
      expect(settings()).not.toContain("github");

      github.always("GET /user", answer(200, { login: "ada" }));
      github.always("GET /repos/me/notes", answer(200, { full_name: "me/notes" }));
      await form.getByRole("button", { name: "Connect and test" }).click();
      await row.getByText("on", { exact: true }).waitFor();
      await row.getByText("github.issue.get").waitFor();
      await row.getByText(`It reaches ${github.url}`).waitFor();
      expect(settings()).toContain("me/notes");
      expect(settings()).not.toContain("canary");

      await row.getByRole("button", { name: "Switch GitHub off" }).click();
      await page.getByRole("button", { name: "Switch it off" }).click();
      await row.getByText("off", { exact: true }).waitFor();
      await row.getByRole("button", { name: "Switch GitHub on" }).click();
      await row.getByRole("button", { name: "Test GitHub" }).waitFor();
      expect(tab.faults).toEqual([]);
    });
  },
);
