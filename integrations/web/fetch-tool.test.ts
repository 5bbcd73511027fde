import { directDocuments } from "@elwood/sdk/documents/direct-documents";
import { pdfOf } from "@elwood/testkit/pdf";
import { ARTICLE, LOGIN } from "@elwood/testkit/web-server";
import { describe, expect, test } from "vitest";
import { webTools } from "./index.ts";
import { answering, run } from "./test-scene.ts";

const judge = async () => undefined;
const documents = directDocuments();
const [fetchTool] = webTools({ documents, judge });
const html = (body: BodyInit, type = "text/html; charset=utf-8") =>
  answering(body, { headers: { "content-type": type } });
const page = (body: BodyInit, type?: string, more: object = {}) =>
  run(fetchTool!, { url: "https://site.example/a/b", ...more }, html(body, type).fetch);

describe("EL-9: web.page.fetch reads a page", () => {
  test("as Markdown with whole links, and says what the page tells of itself", async () => {
    const { value, text } = await page(ARTICLE);
    expect(value).toMatchObject({
      url: "https://site.example/a/b",
      finalUrl: "https://site.example/a/b",
      status: 200,
      kind: "page",
      title: "The ledger of small things",
      byline: "Ada Moore",
      published: "2026-03-01T09:00:00Z",
      site: "Papers",
      lang: "en-GB",
      truncated: false,
    });
    expect(text).toContain("[the next part](https://site.example/next?page=2)");
    expect(text).toContain("[another](https://other.example/x)");
    expect(text).toContain("```\nconst ledger = [];\n```");
    for (const noise of ["Imprint", "javascript:", "stolen", "<p>"]) expect(text).not.toContain(noise);
  });

  test("in parts, which join into the whole", async () => {
    const whole = (await page(ARTICLE)).value;
    let text = "";
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const part: Record<string, unknown> = (await page(ARTICLE, undefined, { maxChars: 1_000, offset }))
        .value;
      text += part["text"];
      offset = part["nextOffset"] as number | undefined;
      expect(part["truncated"]).toBe(offset !== undefined);
    }
    expect(text).toBe(whole["text"]);
  });

  test("that is no article by all that a visitor sees", async () => {
    const body = `<html><body><nav>menu</nav><div hidden>secret</div><h1>Hi</h1><p>Short.</p><a href="/x">x</a></body></html>`;
    const { value } = await page(body);
    expect(value["text"]).toBe("# Hi\n\nShort.\n\n[x](https://site.example/x)");
  });

  test.each([
    ["<p>One</p><p>two</p>", "One\n\ntwo"],
    ["<html><head><title>T</title></head><p>One</p></html>", "One"],
    ["<html lang=de><p>One</p>", "One"],
    ["only words", "only words"],
    ["", ""],
    ["<<<>>> a_b_c<p", "<<<>>> a_b_c"],
  ])("whose tags are left out or broken: %j", async (body, text) => {
    expect((await page(body)).value["text"]).toBe(text);
  });

  test("that asks for a password as one that does", async () => {
    const { value, text } = await page(LOGIN);
    expect(value).toMatchObject({ login: true, title: "Sign in" });
    expect(text).toContain("[This page asks for a sign-in. What is behind it was not seen.]");
  });

  test("that was built to be endless, by its bare words", async () => {
    const { value } = await run(
      webTools({ documents, judge, limits: { readMs: 300 } })[0]!,
      { url: "https://site.example/" },
      html(`<p>begin</p>${"<div>".repeat(30_000)}<p>deep &amp; dark</p>`).fetch,
    );
    expect(value).toMatchObject({ text: "begin\ndeep & dark", kind: "page" });
  });

  test("beyond its limits only in part, and says so", async () => {
    const [tool] = webTools({ documents, judge, limits: { pageBytesMax: 5_000, pdfBytesMax: 8_000 } });
    const { fetch } = html(`<article>${"<p>word word word word word word.</p>".repeat(1_000)}</article>`);
    const { value, text } = await run(tool!, { url: "https://site.example/" }, fetch);
    expect(value).toMatchObject({ truncated: true, bytes: 5_000 });
    expect(text).toContain("[The page is longer than what Elwood reads of one, and ends here.]");
  });
});

describe("charsets", () => {
  const latin = Buffer.from("<p>Stra\xdfe \x80 5</p>", "latin1");
  test.each<[string, Uint8Array, string, string]>([
    ["by the header", latin, "text/html; charset=windows-1252", "Straße € 5"],
    [
      "by a meta tag",
      Buffer.concat([Buffer.from('<meta charset="iso-8859-1">'), latin]),
      "text/html",
      "Straße € 5",
    ],
    ["by the bytes where the header is wrong", latin, "text/html; charset=utf-8", "Straße € 5"],
    ["by the bytes where nothing is said", latin, "text/html", "Straße € 5"],
    [
      "as UTF-8 where the charset does not exist",
      Buffer.from("<p>Grüße</p>"),
      "text/html; charset=klingon",
      "Grüße",
    ],
    [
      "by a byte order mark before all else",
      Buffer.from("\ufeff<p>Grüße</p>", "utf16le"),
      "text/html; charset=utf-8",
      "Grüße",
    ],
    [
      "Japanese",
      Buffer.from([0x3c, 0x70, 0x3e, 0x93, 0xfa, 0x96, 0x7b]),
      "text/html; charset=shift_jis",
      "日本",
    ],
  ])("are told %s", async (_how, body, type, text) => {
    expect((await page(Buffer.from(body), type)).value["text"]).toBe(text);
  });
});

describe("other kinds", () => {
  test.each([
    ["text/plain", "plain <words>", "plain <words>"],
    ["application/json", '{"a":1}', '{"a":1}'],
    ["text/markdown", "# Hi", "# Hi"],
    ["application/ld+json", "[]", "[]"],
    ["", "just words", "just words"],
  ])("%s comes as it is", async (type, body, text) => {
    expect((await page(Buffer.from(body), type)).value).toMatchObject({ kind: "text", text });
  });

  test.each(["image/png", "application/zip", "application/octet-stream", "video/mp4", "application/pdf"])(
    "%s is not read, and told",
    async (type) => {
      const { value, text } = await page(Buffer.from([1, 0, 2, 3]), type);
      expect(value).toMatchObject({ kind: "binary", text: "", bytes: 4 });
      expect(text).toContain(`${type} (4 bytes). Such files are not read.]`);
    },
  );

  test("the text of a PDF is read, whatever type was said", async () => {
    for (const type of ["application/pdf", "application/octet-stream"]) {
      const { value } = await page(pdfOf(["Minutes of the meeting"]), type);
      expect(value).toMatchObject({ kind: "pdf", pages: 1, text: "Minutes of the meeting" });
    }
  });

  test("a PDF that gives no text is a failed call that says what it is", async () => {
    const locked = page(pdfOf(["x"], { encrypted: true }), "application/pdf");
    await expect(locked).rejects.toMatchObject({ code: "encrypted" });
    await expect(page(pdfOf([""]), "application/pdf")).rejects.toMatchObject({ code: "no-text" });
  });

  test("a PDF that is none is told as unreadable", async () => {
    await expect(page("%PDF-1.7 nonsense", "application/pdf")).rejects.toMatchObject({ code: "unreadable" });
  });
});

describe("statuses", () => {
  test.each([
    [401, "it asks for a sign-in", false],
    [403, "it does not let Elwood in", false],
    [404, "there is no such page", false],
    [429, "it was asked too often. It asks to wait 120 seconds", true],
    [503, "something is broken there", true],
    [418, "there is no page to read", false],
  ])("%i is a failed call that says why", async (status, words, retryable) => {
    const { fetch } = answering("<h1>no</h1>", { status, headers: { "retry-after": "120" } });
    const failed = run(fetchTool!, { url: "https://site.example/" }, fetch);
    await expect(failed).rejects.toMatchObject({ name: "ToolError", code: `http_${status}`, retryable });
    await expect(failed).rejects.toThrow(`site.example answered with status ${status}: ${words}`);
  });

  test("an answer that broke off is a failed call, as asking changes nothing", async () => {
    const broken = Object.assign(new Error("site.example fell silent."), { name: "AnswerBroken" });
    const failed = run(fetchTool!, { url: "https://site.example/" }, () => Promise.reject(broken));
    await expect(failed).rejects.toMatchObject({ name: "ToolError", code: "no_answer" });
    await expect(failed).rejects.toThrow(
      "site.example fell silent. The request was sent, and nothing came of it.",
    );
  });
});

describe("before it runs", () => {
  test("a refused address is a reason to deny", async () => {
    const [refusing] = webTools({
      documents,
      judge: async () => ({ rule: "hard.address", reason: "Because." }),
    });
    expect(await refusing!.facts!({ url: "http://10.0.0.1/" }, {})).toEqual([
      { kind: "deny", rule: "hard.address", reason: "Because." },
    ]);
    expect(await fetchTool!.facts!({ url: "http://nowhere.example/" }, {})).toEqual([]);
  });

  test("the card shows the host, the whole address, each word in it, and the headers", async () => {
    const url = "https://ok.example/a%20b?q=one%20two&token=x#part";
    const { fetch, asked } = html("<p>x</p>");
    expect(await fetchTool!.preview!({ url }, new AbortController().signal, {})).toEqual({
      sentence: "Fetches a page from ok.example.",
      subject: "ok.example",
      after: [
        "GET https://ok.example/a%20b?q=one%20two&token=x",
        "host: ok.example",
        "accept: text/html, application/xhtml+xml, application/pdf, text/*, application/json;q=0.9, */*;q=0.1",
        "user-agent: Elwood",
        "",
        "What the address says:",
        "  q = one two",
        "  token = x",
      ].join("\n"),
    });
    await run(fetchTool!, { url }, fetch);
    expect(asked[0]!.url).toBe(url);
    expect([...asked[0]!.headers.keys()]).toEqual(["accept", "user-agent"]);
  });
});
