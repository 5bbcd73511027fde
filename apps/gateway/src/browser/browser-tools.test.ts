import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LoopbackServer } from "@elwood/testkit/loopback-server";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { browserScene, TEST_BROWSER, type BrowserScene } from "../../test/browser/test-scene.ts";
import { serve, text } from "../../test/browser/test-site.ts";

const SHOP = `<title>Shop</title><h1>Things</h1>
  <a href="/next">Next page</a> <button onclick="document.title='Bought'">Buy</button>
  <button>Delete</button><button>Delete</button>
  <button onclick="window.open('/next')">Pop up</button>
  <button onclick="document.querySelector('output').textContent = String(confirm('Really?'))">Ask me</button>
  <output></output>
  <a href="/report.pdf">Report</a>
  <form action="/search"><label>Words <input name="q"></label>
  <label>Size <select name="size"><option>small</option><option>large</option></select></label></form>
  <form action="/login" method="post"><label>Login <input name="user"></label>
  <label>Password <input type="password" name="p"></label></form>
  <label>File <input type="file"></label>
  <button onclick="this.textContent='Pay all'">Pay</button>
  <script>setTimeout(() => document.body.append("came later"), 50)</script>`;

describe.skipIf(TEST_BROWSER === undefined)("EL-9: the browser tools on a real page", () => {
  const site = new LoopbackServer();
  let scene: BrowserScene;
  let url = "";

  beforeAll(async () => {
    await site.start();
    url = site.url;
    serve(site, {
      "/": SHOP,
      "/next": "<title>Next</title><p>The next page</p>",
      "/elsewhere": `<title>Elsewhere</title><base href="https://other.example/"><a href="/pay">Pay <img alt="Coin"></a>
        <form id="one" method="post" action="/x"><button formaction="https://third.example/take">Send</button></form>
        <form id="two" action="/away"></form><button form="two">Outside</button><form><button>Here</button></form>`,
      "/filled": `<title>Filled</title><input type="password" aria-label="Password" value="hunter1">
        <input type="password" aria-label="Word" placeholder="yours" value="hunter2">
        <label>Password: * <input value="hunter3"></label>
        <textarea aria-label="Notes" placeholder="seed phrase">hunter4</textarea>
        <input aria-label="PIN" placeholder="4 digits" value="4711">
        <input list="cards" aria-label="Card number" value="4111"><datalist id="cards"></datalist>
        <input aria-label="Street" placeholder="Where" value="a plain value"><input aria-label="City">`,
      "/search": "<title>Found</title><p>Results</p>",
      "/cookie":
        "<title>Cookie</title><body><script>document.body.append(document.cookie || 'no cookie')</script>",
      "/long": `<title>Long</title>${Array.from({ length: 3_000 }, (_, at) => `<p>Line number ${at} of a long page</p>`).join("")}`,
    });
    site.always(
      "GET /set",
      text(200, "text/html", "<title>Set</title>", { "set-cookie": "who=first; path=/" }),
    );
    site.always(
      "GET /report.pdf",
      text(200, "application/pdf", "%PDF-1.4 report", {
        "content-disposition": 'attachment; filename="../../.a report.pdf"',
      }),
    );
    scene = await browserScene({ allowed: [url] });
  });

  beforeEach(async () => {
    await scene.run("close", { all: true }).catch(() => undefined);
    scene.progress = [];
  });

  afterAll(async () => {
    await scene[Symbol.asyncDispose]();
    await site.close();
  });

  test("open a page, say so while it takes time, and read it with refs to click", async () => {
    const opened = await scene.run("open", { url: `${url}/` });
    expect(opened.value).toMatchObject({ page: "p1", url: `${url}/`, title: "Shop", status: 200 });
    expect(scene.progress).toEqual(["Starting the browser …", `Opening ${url}/ …`]);
    const { content } = (await scene.run("read", {})).value as { content: string };
    expect(content).toContain('heading "Things"');
    expect(content).toMatch(/button "Buy" \[ref=e\d+\]/);
  });

  test("click what was read, by its ref, its role and name, or its name", async () => {
    await scene.run("open", { url: `${url}/` });
    const { content } = (await scene.run("read", {})).value as { content: string };
    const ref = /button "Buy" \[ref=(e\d+)\]/.exec(content)?.[1] ?? "";
    expect((await scene.approved("click", { target: ref })).value).toMatchObject({ title: "Bought" });
    expect((await scene.approved("click", { target: 'link "Next page"' })).value).toMatchObject({
      title: "Next",
      url: `${url}/next`,
    });
    await scene.run("open", { url: `${url}/` });
    expect((await scene.approved("click", { target: "next page" })).value).toMatchObject({ title: "Next" });
  });

  test("a target that is missing or could be several is refused, with what there is", async () => {
    await scene.run("open", { url: `${url}/` });
    await expect(scene.run("click", { target: "Delete" })).rejects.toThrow(
      /could be 2 things.*e\d+ button "Delete", e\d+ button "Delete"/,
    );
    await expect(scene.run("click", { target: "Buy now" })).rejects.toThrow(
      /Nothing on the page.*button "Buy"/,
    );
    await expect(scene.run("click", { target: "e9999" })).rejects.toThrow(/Read the page again/);
  });

  test("type into a field, choose from a list, and send a form", async () => {
    await scene.run("open", { url: `${url}/` });
    await scene.approved("type", { target: "Size", text: "large" });
    const sent = await scene.approved("type", { target: "Words", text: "två ord", submit: true });
    expect(sent.value).toMatchObject({ title: "Found" });
    const { query } = site.last("GET /search");
    expect([query.get("q"), query.get("size")]).toEqual(["två ord", "large"]);
  });

  test("JV-7: the card says where a click or a form really leads, whatever the page set up", async () => {
    await scene.run("open", { url: `${url}/elsewhere` });
    const after = async (target: string) => (await scene.preview("click", { target })).after;
    for (const target of ['link "Pay Coin"', 'img "Coin"']) {
      expect(await after(target)).toContain("Leads to: https://other.example/pay");
    }
    expect(await after("Send")).toContain("Form: POST https://third.example/take");
    expect(await after("Outside")).toContain("Form: GET https://other.example/away");
    expect(await after("Here")).toContain(`Form: GET ${url}/elsewhere`);
  });

  test("what stands in fields for secrets is not read out, whichever way the page is written", async () => {
    await scene.run("open", { url: `${url}/filled` });
    const { text: read = "" } = await scene.run("read", {});
    expect(read).not.toMatch(/hunter|4711|4111/);
    expect(read.match(/\(not shown\)/g)).toHaveLength(6);
    expect(read).toContain("text: a plain value");
    expect(read).toContain("City");
  });

  test("JV-7: the card of a click and of typing says page, element, text and what follows", async () => {
    await scene.run("open", { url: `${url}/` });
    expect(await scene.preview("open", { url: "https://a.example/x?y=1", page: "new" })).toMatchObject({
      sentence: "Open https://a.example/x?y=1 in the browser.",
      after: "Address: https://a.example/x?y=1\nHost: a.example\nIn: a new page",
    });
    const click = await scene.preview("click", { target: "Next page" });
    expect(click.sentence).toMatch(/^Click link "Next page" on 127\.0\.0\.1:\d+ \(page "Shop"\)\.$/);
    expect(click.before).toMatch(
      new RegExp(`^Page: p\\d+ ${url}/\nElement: e\\d+ link "Next page"\nLeads to: ${url}/next$`),
    );
    const type = await scene.preview("type", { target: "Words", text: "a\nb", submit: true });
    expect(type.after).toContain(`Form: GET ${url}/search`);
    expect(type.after).toMatch(/\nText: a\nb\nThen: press Enter$/);
  });

  test("a page that became another thing after the look is not clicked", async () => {
    await scene.run("open", { url: `${url}/` });
    await scene.preview("click", { target: "Buy" });
    await scene.approved("click", { target: 'link "Next page"' });
    await scene.run("open", { url: `${url}/?other` });
    site.always("GET /?other", text(200, "text/html", SHOP));
    await expect(scene.run("click", { target: "Buy" })).rejects.toThrow(/changed after/);
    await scene.run("open", { url: `${url}/` });
    await scene.approved("click", { target: 'button "Pay"' });
    await expect(scene.preview("click", { target: 'button "Pay"' })).rejects.toThrow(/Nothing on the page/);
  });

  test("a password field always asks, and is not typed into where nobody was asked", async () => {
    await scene.run("open", { url: `${url}/` });
    expect(await scene.facts("type", { target: "Words", text: "x" })).toEqual([]);
    expect(await scene.facts("type", { target: "Password", text: "hunter2" })).toEqual([
      expect.objectContaining({ kind: "ask", rule: "ask.password-field" }),
    ]);
    await expect(scene.run("type", { target: "Password", text: "hunter2" })).rejects.toThrow(
      /nobody was asked/,
    );
    await scene.approved("type", { target: "Password", text: "hunter2" });
    expect((await scene.run("read", {})).text).not.toContain("hunter2");
    expect(await scene.facts("type", { target: "Password", text: "x" }, "another")).toEqual([]);
  });

  test("no file is uploaded", async () => {
    await scene.run("open", { url: `${url}/` });
    await expect(scene.preview("type", { target: "File", text: "/etc/passwd" })).rejects.toThrow(
      /uploads none/,
    );
    const clicked = await scene.approved("click", { target: "File" });
    expect(clicked.text).toContain("asked for a file. None was given");
  });

  test("several pages, and those that a page opens, stand side by side up to a limit", async () => {
    await scene.run("open", { url: `${url}/` });
    const popped = await scene.approved("click", { target: "Pop up" });
    expect(popped.text).toMatch(/opened another one, p\d+/);
    await scene.run("open", { url: `${url}/next`, page: "new" });
    const { pages } = (await scene.run("list", {})).value as { pages: { page: string; title: string }[] };
    expect(pages.map(({ title }) => title)).toEqual(["Shop", "Next", "Next"]);
    for (let at = 0; at < 3; at++) await scene.run("open", { url: `${url}/next`, page: "new" });
    await expect(scene.run("open", { url: `${url}/next`, page: "new" })).rejects.toThrow(/6 pages open/);
    const first = pages[0]!.page;
    const full = await scene.approved("click", { target: "Pop up", page: first });
    expect(full.text).toContain("It was closed at once: 6 are open already");
    await scene.run("close", { page: first });
    await expect(scene.run("read", { page: first })).rejects.toThrow(/no page p/);
  });

  test("a dialog is closed without agreeing, and told", async () => {
    await scene.run("open", { url: `${url}/` });
    const asked = await scene.approved("click", { target: "Ask me" });
    expect(asked.text).toContain('showed a dialog (confirm): "Really?". It was closed without agreeing.');
    expect((await scene.run("read", {})).text).toMatch(/status.*: "false"/);
  });

  test("a download is held back, and saved only by a call that always asks, under a plain name", async () => {
    await scene.run("open", { url: `${url}/` });
    const clicked = await scene.approved("click", { target: "Report" });
    const id = /held back as (d\d+)/.exec(clicked.text ?? "")?.[1] ?? "";
    expect(readdirSync(scene.folder)).toEqual([]);
    expect(await scene.facts("download.save", { download: id })).toEqual([
      expect.objectContaining({ kind: "ask", rule: "ask.download" }),
    ]);
    const card = await scene.preview("download.save", { download: id });
    expect(card.before).toContain(`Source: ${url}/report.pdf`);
    expect(card.before).toContain("Size: 15 bytes");
    const saved = (await scene.run("download.save", { download: id })).value as { path: string };
    expect(saved.path.startsWith(join(scene.folder, "downloads/"))).toBe(true);
    expect(readFileSync(saved.path, "utf8")).toBe("%PDF-1.4 report");
    expect(saved.path).not.toContain("..");
    await expect(scene.run("download.save", { download: id })).rejects.toThrow(/no download/);
    const again = await scene.approved("click", { target: "Report" });
    const next = /held back as (d\d+)/.exec(again.text ?? "")?.[1] ?? "";
    await expect(scene.run("download.save", { download: next })).rejects.toThrow(/there already/);
    await scene.run("download.save", { download: next, name: "../other.pdf" });
    expect(readdirSync(join(scene.folder, "downloads"))).toContain("other.pdf");
    await expect(scene.preview("download.save", { download: id }, "another")).rejects.toThrow(
      /No page is open/,
    );
  });

  test("a picture comes as an attachment, a long page in parts, and waiting ends", async () => {
    await scene.run("open", { url: `${url}/` });
    await scene.run("wait", { text: "came later" });
    await expect(scene.run("wait", { text: "never", timeoutMs: 100 })).rejects.toThrow(/did not show/);
    const shot = await scene.run("screenshot", {});
    expect(shot.attachments).toHaveLength(1);
    expect(Buffer.from(shot.attachments![0]!.data, "base64").subarray(1, 4).toString()).toBe("PNG");
    await scene.run("open", { url: `${url}/long` });
    const whole = await scene.run("screenshot", { fullPage: true });
    expect(whole.attachments).toHaveLength(1);
    const part = await scene.run("read", {});
    const { content, nextOffset } = part.value as { content: string; nextOffset: number };
    expect(part.truncated).toBe(true);
    expect(content.length).toBeLessThanOrEqual(40_000);
    const rest = (await scene.run("read", { offset: nextOffset })).value as { content: string };
    expect(rest.content).toContain(`Line number ${nextOffset}`);
  });

  test("one conversation sees neither the pages nor the cookies of another", async () => {
    await scene.run("open", { url: `${url}/set` }, "first");
    await scene.run("open", { url: `${url}/cookie` }, "first");
    expect((await scene.run("read", {}, "first")).text).toContain("who=first");
    await expect(scene.run("read", { page: "p1" }, "second")).rejects.toThrow(/No page is open/);
    await scene.run("open", { url: `${url}/cookie` }, "second");
    expect((await scene.run("read", {}, "second")).text).toContain("no cookie");
    await scene.run("close", { all: true }, "first");
    await scene.run("open", { url: `${url}/cookie` }, "first");
    expect((await scene.run("read", {}, "first")).text).toContain("no cookie");
    for (const session of ["first", "second"]) await scene.run("close", { all: true }, session);
  });
});
