import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { anthropic, startAnthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { ask, openSession, send } from "./conversation.ts";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab, type Tab } from "./page-browser.ts";
import { connected, logIn } from "./page-talk.ts";
import { bendAnswers } from "./page-wire.ts";

const GREET = `import { defineTool } from "@elwood/sdk/tool";
import { z } from "zod";

export default defineTool({
  id: "greet.person.hello",
  description: "Greets somebody.",
  risk: "read",
  input: z.object({ name: z.string() }),
  labels: { egress: "none", output: "trusted" },
  handler: ({ name }) => ({ said: "Hello " + name }),
});
`;

describe.skipIf(!BROWSER_PATH)(
  "tools, usage, connections, settings and the doctor (ELWOOD_TEST_BROWSER names a browser)",
  () => {
    let browser: Browser;
    let provider: AnthropicServer;
    let gateway: GatewayProcess;
    let wire: Wire;
    let tab: Tab;
    let page: Page;
    const go = (path: string) => page.goto(`${gateway.url}${path}`);

    beforeAll(async () => {
      provider = await startAnthropic();
      [browser, gateway] = await Promise.all([
        launchBrowser(),
        startGatewayProcess({
          config: "policy:\n  mode: strict\n",
          env: { ANTHROPIC_BASE_URL: provider.url },
        }),
      ]);
      wire = await Wire.authenticated(gateway.url, gateway.token);
      await ask(wire, await openSession(wire), "hello about penguins");
      tab = await openTab(browser);
      page = tab.page;
      await logIn(page, gateway.url, gateway.token);
    });
    afterAll(async () => {
      await tab?.[Symbol.asyncDispose]();
      await wire?.close();
      await gateway?.kill();
      await provider?.close();
      await closeTabs(browser);
    });

    test("tools are listed and found; a call is tried without running it", async () => {
      await go("/tools");
      await page.getByLabel("Find").fill("files.file.w");
      await expect.poll(() => page.locator(".tool-row").count()).toBe(1);
      await page.getByLabel("Find").fill("nothing at all");
      await page.getByText("No tool has these words.").waitFor();
      await page.getByLabel("Find").fill("files.file.write");
      await page.locator(".tool-row").click();
      await page.getByRole("heading", { name: "Write a file", level: 1 }).waitFor();
      const input = page.getByLabel("Input, as JSON");
      const says = page.locator(".try-call");
      await says.getByText("The same as JSON").click();
      await input.fill("{");
      await says.getByRole("button", { name: "Explain" }).click();
      await says.getByText("This is not valid JSON.").waitFor();
      await input.fill('{"path":"tried.txt","content":"x"}');
      await says.getByRole("button", { name: "Explain" }).click();
      await says.getByText("It would ask you first.").waitFor();
      await says.locator(".explanation").getByText("Details").click();
      await says.getByText("mode.strict").waitFor();
      await input.fill('{"content":"x"}');
      await says.getByRole("button", { name: "Explain" }).click();
      await says.getByText("It would be refused.").waitFor();
      await go("/tools/no.such.tool");
      await page.getByRole("link", { name: "See all there are" }).waitFor();
      expect(tab.faults).toEqual([]);
    });

    test("a tool of the workspace is loaded anew, trusted as it is, and asked about again", async () => {
      const folder = join(gateway.home, "workspace", "tools", "greet");
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "hello.ts"), GREET);
      await go("/tools");
      await page.getByRole("button", { name: "Reload" }).click();
      const row = page.locator(".tool-row", { has: page.locator('[title="greet.person.hello"]') });
      await row.getByText("asks every time").waitFor({ timeout: 60_000 });
      await row.click();
      await page.getByRole("button", { name: "Trust it as it is" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Trust it" }).click();
      await page.getByRole("button", { name: "Ask for every call again" }).click();
      await page.getByRole("button", { name: "Trust it as it is" }).waitFor();
    });

    test("usage tells what was asked of which model, in a chart that is a table, too", async () => {
      await go("/usage");
      await page.getByText("requests", { exact: true }).waitFor();
      await page.locator(".chart-days span").first().waitFor();
      const [top, half, none] = await page.locator(".scale span").allTextContents();
      expect([top, half, none]).toEqual([
        expect.stringMatching(/^\d+K?$/),
        expect.stringMatching(/^\d+K?$/),
        "0",
      ]);
      const days = await page.locator(".chart-days span").allTextContents();
      expect(days).toHaveLength(3);
      for (const day of days) expect(day).toMatch(/^[A-Z][a-z]{2} \d+$/);
      await page.getByText("The same as a table").click();
      await page
        .getByRole("row", { name: /tokens/ })
        .first()
        .waitFor();
      await page.getByLabel("Show").selectOption("costUsd");
      await page.getByText("Cost a day, by model").waitFor();
      await page.getByLabel("Over").selectOption("7");
      await expect.poll(() => page.locator(".bar").count()).toBe(7);
      await page.getByRole("link", { name: /penguins/ }).click();
      await page.waitForURL("**/c/**");
    });

    test("a key is tried with one real question: refused, nothing is kept; answered, it is, and can be tested and removed", async () => {
      await go("/connections");
      await page.getByText("No credential is stored.").waitFor();
      provider.will(anthropic.error(401, { message: "invalid x-api-key" }));
      await page.getByLabel("Key", { exact: true }).fill("sk-ant-loopback-bad-000000");
      await page.getByRole("button", { name: "Connect", exact: true }).click();
      const said = page.locator(".connect-model .line.bad");
      await said.waitFor();
      expect(await said.textContent()).toMatch(/401.* Nothing was saved\.$/);
      expect(await said.textContent()).not.toMatch(/message is kept|saved.*saved/);
      expect((await wire.result("auth.list")) as unknown).toMatchObject({ profiles: [] });
      const answer = anthropic.message({ content: [{ type: "text", text: "ok" }] });
      provider.will(answer);
      await page.getByLabel("Key", { exact: true }).fill("sk-ant-loopback-good-00000a");
      await page.getByRole("button", { name: "Connect", exact: true }).click();
      await page.locator(".line.ok", { hasText: "The key is kept as" }).waitFor();
      await expect.poll(() => page.getByLabel("Key", { exact: true }).inputValue()).toBe("");
      const profile = page.locator(".profile", { hasText: "anthropic" });
      await profile.filter({ hasText: "ending in" }).waitFor();
      expect(await page.content()).not.toContain("sk-ant-loopback-good-00000a");
      provider.will(answer);
      await profile.getByRole("button", { name: "Test" }).click();
      await page.locator(".toast", { hasText: "answered in" }).waitFor();
      await profile.getByRole("button", { name: "Remove" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove it" }).click();
      await page.getByText("No credential is stored.").waitFor();
      expect(tab.faults).toEqual([]);
    });

    test("a token is shown once, opens what it may, and its browser is logged out when it is revoked", async () => {
      await go("/connections");
      await page.getByRole("button", { name: "New token…" }).click();
      await page.getByLabel("Name", { exact: true }).and(page.locator(":focus")).waitFor();
      await page.keyboard.type("reader");
      await page.getByRole("button", { name: "Create" }).click();
      const once = page.locator(".token-once");
      const token = (await once.locator("code").textContent()) ?? "";
      await once.getByRole("button", { name: "I have it" }).click();
      await once.waitFor({ state: "detached" });
      expect(await page.content()).not.toContain(token);

      await using reader = await openTab(browser);
      await logIn(reader.page, `${gateway.url}/connections`, token);
      await reader.page.getByText("This login may not see credentials.").waitFor();
      await reader.page.goto(`${gateway.url}/doctor`);
      await reader.page.getByText("This login may not look.").waitFor();
      await reader.page.goto(`${gateway.url}/settings`);
      await reader.page.getByText("permissions", { exact: true }).waitFor();
      expect(await reader.page.getByRole("button", { name: "Stop everything" }).count()).toBe(0);
      await page.locator(".profile", { hasText: "reader" }).getByRole("button", { name: "Revoke" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Revoke it" }).click();
      await reader.page.getByRole("heading", { name: "Log in to Elwood" }).waitFor();
    });

    test("a theme is kept over a reload, from before the first paint; the settings say where each comes from", async () => {
      await go("/settings");
      await page.getByLabel("Dark").check();
      const early = await page.context().newPage();
      await early.addInitScript(() => {
        // Before any of the page's own modules has run.
        document.addEventListener("DOMContentLoaded", () => {
          document.documentElement.setAttribute(
            "data-early",
            document.documentElement.dataset["theme"] ?? "",
          );
        });
      });
      await early.goto(`${gateway.url}/settings`);
      expect(await early.locator("html").getAttribute("data-early")).toBe("dark");
      await connected(early);
      await expect.poll(() => early.getByLabel("Dark").isChecked()).toBe(true);
      await early.getByLabel("System").check();
      await early.getByText("Every key, its value").click();
      await early.getByLabel("Find").fill("policy.mode");
      await early.getByRole("row", { name: /policy\.mode.*strict.*config\.yaml/ }).waitFor();
      await early.close();
    });

    test("stop everything aborts what waits; logging out ends it in all tabs of the browser", async () => {
      const runId = await send(wire, await openSession(wire), "write 'x' to stopped.txt");
      await wire.until((f) => f.event === "exec.approval_request" && f.data?.["runId"] === runId);
      await go("/settings");
      await page.getByRole("button", { name: "Stop everything" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Stop everything" }).click();
      await page.locator(".toast", { hasText: /^\s*Stopped 1 run, ended \d+ permissions?\./ }).waitFor();
      await expect
        .poll(() => wire.result("runs.get", { runId }))
        .toMatchObject({ run: { status: "aborted" } });
      const second = await page.context().newPage();
      await second.goto(`${gateway.url}/runs`);
      await connected(second);
      await page.getByRole("button", { name: "Log out of this browser" }).click();
      for (const each of [page, second])
        await each.getByRole("heading", { name: "Log in to Elwood" }).waitFor();
      // This browser was given the owner's own token, which others have too.
      await page.getByRole("alert").filter({ hasText: "it still opens Elwood elsewhere" }).waitFor();
      await second.close();
      await logIn(page, gateway.url, gateway.token);
    });

    test("whatever Health finds, its button leads to where it is mended, and a command is copied as it is typed", async () => {
      const places = [
        ["model.key", "Open Models & keys", "/connections", "Models & keys"],
        ["auth.expired", "Open Models & keys", "/connections", "Models & keys"],
        ["search.off", "Set up search", "/settings", "Settings"],
        ["channels.telegram", "Open Channels", "/channels", "Channels"],
        ["mcp.notes", "Open Integrations", "/integrations", "Integrations"],
        ["tools.folder", "Open Tools & policy", "/tools", "Tools & policy"],
        ["commands.cage", "Open Tools & policy", "/tools", "Tools & policy"],
        ["config.problem", "Open Settings", "/settings", "Settings"],
        ["time.zone", "Open Settings", "/settings", "Settings"],
        ["memory.off", "Open Settings", "/settings", "Settings"],
        ["browser.missing", "Open Settings", "/settings", "Settings"],
      ] as const;
      const found = (id: string, fix: string) =>
        ({ id, severity: "warning", what: `Found ${id}.`, evidence: "", fix, repairable: false }) as const;
      const findings = [
        ...places.map(([id]) => found(id, "Look there.")),
        found("state.mode", "Close it to others: chmod 700 /srv/elwood"),
      ];
      const counts = { ok: 0, info: 0, warning: findings.length, error: 0 };
      const result = { version: "test", home: "/srv/elwood", at: Date.now(), counts, findings };
      await using own = await openTab(browser, { permissions: ["clipboard-read", "clipboard-write"] });
      const health = own.page;
      await bendAnswers(health, (method) => (method === "gateway.doctor" ? { result } : undefined));
      await logIn(health, `${gateway.url}/doctor`, gateway.token);
      const row = (id: string) => health.locator(".finding", { hasText: `Found ${id}.` });
      for (const [id, words, path, heading] of places) {
        await row(id).getByRole("link", { name: words, exact: true }).click();
        await health.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
        expect(new URL(health.url()).pathname, id).toBe(path);
        await health.goBack();
        await row(id).waitFor();
      }
      await row("state.mode").getByRole("button", { name: "Copy the command" }).click();
      await expect
        .poll(() => health.evaluate(() => navigator.clipboard.readText()))
        .toBe("chmod 700 /srv/elwood");
      expect(own.faults).toEqual([]);
    });

    test("the doctor says what it looked at; the log is followed, filtered and paused", async () => {
      await go("/doctor");
      await page.getByText(/^\d+ checks passed$/).click();
      await page.locator(".finding", { hasText: "The state directory is closed to other users." }).waitFor();
      await page.getByRole("button", { name: "Check again" }).click();
      await page.getByRole("link", { name: "Log", exact: true }).click();
      const lines = page.locator(".log-line");
      await lines.first().waitFor();
      // Words for people; the fields of a line are there for who asks.
      expect((await lines.allInnerTexts()).join("\n")).not.toMatch(/[{}]|_01/);
      await lines.last().click();
      expect(await page.locator(".log-fields").innerText()).toContain('"');
      await page.getByLabel("Find").fill("no line says this");
      await page.getByText("No line fits.").waitFor();
      await page.getByLabel("Find").fill("");
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByRole("button", { name: "Go on" }).click();
      await page.getByLabel("Down to").selectOption("error");
      expect(tab.faults).toEqual([]);
    });
  },
);
