import { GatewayClient } from "@elwood/sdk/client";
import type { GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser } from "playwright-core";
import { describe, expect, test } from "vitest";
import { BROWSER_PATH, openTab, resize } from "./page-browser.ts";
import { axeFaults, layoutFaults } from "./page-checks.ts";
import { withPageScene } from "./page-scene.ts";
import { logIn } from "./page-talk.ts";

describe.skipIf(!BROWSER_PATH)("actions on the page (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let gateway: GatewayProcess;
  withPageScene((scene) => ({ browser, gateway } = scene));

  test("AC-4: are listed, tried, and compared by versions, of which another becomes the current one", async () => {
    const owner = await GatewayClient.connect({ url: gateway.url, token: gateway.token });
    for (const system of ["Be short.", "Be kind."])
      await owner.call("actions.import", {
        text: `version: "1.0"\nactions:\n  greet: { model: demo/scripted, system: "${system}" }\n`,
      });
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, `${gateway.url}/actions`, gateway.token);
    await page.getByRole("link", { name: "greet" }).click();
    await page.getByRole("button", { name: "Execute" }).click();
    await page.locator(".try-call").getByText("demo/").waitFor();
    await page.getByRole("textbox", { name: "Input, as JSON" }).fill("{");
    await page.getByRole("button", { name: "Execute" }).click();
    await page.getByText("This is not valid JSON.").waitFor();
    await page.getByRole("button", { name: "Compare" }).click();
    await page.locator(".diff-come").getByText("Be short.").waitFor();
    await page.getByRole("button", { name: "Use this one" }).click();
    await page.getByRole("button", { name: "Use it" }).click();
    await page.locator(".profile").filter({ hasText: "current" }).getByText("v1").waitFor();
    expect((await owner.call("actions.get", { name: "greet" })).action).toMatchObject({
      version: 1,
      newest: 2,
    });
    await owner.close();

    for (const path of ["/actions", "/actions/greet", "/api/v1/docs"]) {
      await page.goto(`${gateway.url}${path}`);
      await page.locator(".tool-row, .try-call, details").first().waitFor();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect.soft(await axeFaults(page, "all"), `${path} ${colorScheme}`).toEqual([]);
      }
      for (const width of [360, 768, 1_280]) {
        await resize(page, width);
        expect.soft(await page.evaluate(layoutFaults), `${path} ${width} px`).toEqual([]);
      }
    }
    expect(tab.faults).toEqual([]);
  });
});
