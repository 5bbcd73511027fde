import { type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser } from "playwright-core";
import { describe, expect, test } from "vitest";
import { BROWSER_PATH, openTab } from "./page-browser.ts";
import { logIn } from "./page-talk.ts";
import { withPageScene } from "./page-scene.ts";

describe.skipIf(!BROWSER_PATH)(
  "a call that is tried on the page (ELWOOD_TEST_BROWSER names a browser)",
  () => {
    let browser: Browser;
    let gateway: GatewayProcess;
    withPageScene((scene) => ({ browser, gateway } = scene));

    test("shows the clause, the values that matter and the condition that failed", async () => {
      await using tab = await openTab(browser);
      const { page } = tab;
      await logIn(page, `${gateway.url}/tools/files.file.write`, gateway.token);
      const tried = page.locator(".try-call");
      await tried.getByLabel("Path", { exact: true }).fill("todo.md");
      await tried.getByLabel("Content", { exact: true }).fill("eggs");
      const explain = async (message: string) => {
        await tried.getByLabel("Your message").fill(message);
        await tried.getByRole("button", { name: "Explain" }).click();
      };
      await explain("Call Anna. Write eggs to todo.md");
      await tried.getByText("It would run without asking.").waitFor();
      await tried.getByText("Your words: “Write eggs to todo.md”").waitFor();
      await tried.getByText("Values: path: todo.md").waitFor();
      await explain("What is in todo.md?");
      await tried.getByText("It would ask you first.").waitFor();
      await tried.getByText("Elwood read your message as a question, not as a request for this.").waitFor();
      await tried.getByText("Your words: “What is in todo.md?”").waitFor();
      await tried.locator(".explanation").getByText("Details").click();
      await tried.getByText("authority.question").waitFor();

      // The same as JSON, both ways; what is none is told, and nothing is asked.
      await tried.getByText("The same as JSON").click();
      const json = tried.getByLabel("Input, as JSON");
      expect(JSON.parse(await json.inputValue())).toEqual({ path: "todo.md", content: "eggs" });
      await json.fill('{"path":"other.md","content":"eggs"}');
      await json.blur();
      await expect.poll(() => tried.getByLabel("Path", { exact: true }).inputValue()).toBe("other.md");
      await json.fill("{");
      await tried.getByRole("button", { name: "Explain" }).click();
      await tried.getByText("This is not valid JSON").waitFor();
      expect(tab.faults).toEqual([]);
    });
  },
);
