import { bookOf, paragraph, wordOf, workbookOf, zipOf } from "@elwood/testkit/office";
import { pdfOf } from "@elwood/testkit/pdf";
import { describe, expect, test } from "vitest";
import { directDocuments } from "./direct-documents.ts";
import { documentKind } from "./read-document.ts";

const MB = 1024 * 1024;
const never = new AbortController().signal;
const read = (bytes: Uint8Array, name: string, limits: Parameters<typeof directDocuments>[0] = {}) =>
  directDocuments(limits).read(bytes, name, never);

describe("a document is read as text", () => {
  test("Word: headings, lists, tables, notes and where its pages begin; what was deleted is left out", async () => {
    const body = [
      paragraph("Report", "Title"),
      paragraph("Costs", "Heading2"),
      `<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>rent &amp; heat</w:t></w:r></w:p>`,
      `<w:p><w:r><w:t>kept</w:t></w:r><w:del><w:r><w:delText>gone</w:delText><w:t>gone too</w:t></w:r></w:del><w:r><w:tab/><w:t>so</w:t></w:r></w:p>`,
      `<w:tbl><w:tr><w:tc>${paragraph("a")}</w:tc><w:tc>${paragraph("1")}</w:tc></w:tr><w:tr><w:tc>${paragraph("b")}</w:tc><w:tc>${paragraph("2")}</w:tc></w:tr></w:tbl>`,
      `<w:p><w:r><w:br w:type="page"/></w:r></w:p>`,
      paragraph("The end."),
    ].join("");
    const notes = {
      "word/footnotes.xml": `<w:footnotes><w:footnote>${paragraph("See there.")}</w:footnote></w:footnotes>`,
    };
    expect(await read(wordOf(body, notes), "report.docx")).toEqual({
      kind: "word",
      pages: 2,
      cut: false,
      text: "# Report\n\n## Costs\n\n- rent & heat\n\nkept\tso\n\na | 1\nb | 2\n\n[Page 2]\nThe end.\n\n[Footnotes]\nSee there.",
    });
  });

  test("Excel: sheet by sheet, cells where they stand, days as days, formulas by what they came to", async () => {
    const budget = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>
      <row r="2"><c r="A2" s="1"><v>46000</v></c><c r="B2"><f>1+1</f><v>2</v></c><c r="D2" t="b"><v>1</v></c></row>
      <row r="4"><c r="A4" t="inlineStr"><is><t>in</t><t>line</t></is></c><c r="B4"><f>SUM(B1)</f></c></row>`;
    const parts = {
      "xl/sharedStrings.xml": `<sst><si><t>Day</t></si><si><r><t>Sum </t></r><r><t>total</t></r><rPh><t>x</t></rPh></si></sst>`,
      "xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="yyyy\\-mm\\-dd"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs></styleSheet>`,
    };
    expect(await read(workbookOf({ Budget: budget, "Empty &amp; new": "" }, parts), "b.xlsx")).toEqual({
      kind: "sheets",
      pages: 2,
      cut: false,
      text: "[Sheet 1: Budget, 4 rows]\nDay\tSum total\n2025-12-09\t2\t\tTRUE\n\ninline\t=SUM(B1)\n\n[Sheet 2: Empty & new, 0 rows]",
    });
  });

  test("PowerPoint: slide by slide, with notes", async () => {
    const slide = (text: string) => `<p:sld><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`;
    const deck = zipOf({
      "ppt/slides/slide10.xml": slide("last"),
      "ppt/slides/slide2.xml": slide("first"),
      "ppt/notesSlides/notesSlide2.xml": slide("say hello"),
    });
    expect(await read(deck, "d.pptx")).toMatchObject({
      kind: "slides",
      pages: 2,
      text: "[Slide 1]\nfirst\nNotes: say hello\n\n[Slide 2]\nlast",
    });
  });

  test("EPUB: in the order of reading, with title and author", async () => {
    const book = bookOf(["<h1>One</h1><p>It began.</p>", "<p>It&nbsp;ended &#8212; well.</p>"]);
    expect(await read(book, "b.epub")).toEqual({
      kind: "book",
      title: "A Book",
      author: "A. Author",
      pages: 2,
      cut: false,
      text: "[Part 1]\n# One\n\nIt began.\n\n[Part 2]\nIt ended — well.",
    });
  });

  test("HTML: as it reads, without scripts, with where links lead", async () => {
    const page = `<!doctype html><html><head><title>My  page</title><style>p{}</style></head><body>
      <h2>Hello &amp; welcome</h2><script>alert("x < y")</script><p>See <a href="https://example.com/a">this
      page</a>.</p><ul><li>one<li>two<ul><li>deep</li></ul></ul><table><tr><th>A</th><th>B</th></tr><tr><td>1<td>2</table>
      <pre>a  b
  c</pre><img alt="A cat"></body></html>`;
    expect(await read(Buffer.from(page), "x")).toEqual({
      kind: "page",
      title: "My page",
      cut: false,
      text: "## Hello & welcome\n\nSee this page (https://example.com/a).\n\n- one\n- two\n\n- deep\n\nA | B\n1 | 2\n\na  b\n  c\n\n[Picture: A cat]",
    });
  });

  test("PDF: page by page, and says which pages hold no text", async () => {
    expect(await read(pdfOf(["Dear Anna\nthank you", "", "Yours (B.)"]), "l.pdf")).toEqual({
      kind: "pdf",
      text: "[Page 1]\nDear Anna\nthank you\n\n[Page 3]\nYours (B.)",
      pages: 3,
      pagesWithoutText: 1,
      cut: false,
    });
    expect(await read(pdfOf(["one", "two"]), "l.pdf", { pdfPagesMax: 1 })).toMatchObject({
      cut: true,
      pages: 2,
    });
  });

  test.each([
    ["UTF-16", Buffer.from("\uFEFFName;Straße\n", "utf16le")],
    ["Windows-1252", Buffer.from("Name;Stra\u00DFe\n", "latin1")],
  ])("a table in %s, as programs for tables write it", async (_, bytes) => {
    const { kind, text } = await read(bytes, "table.csv");
    expect([kind, text.replace("\uFEFF", "")]).toEqual(["text", "Name;Straße\n"]);
  });

  test("macros are told, and neither run nor read", async () => {
    const found = await read(wordOf(paragraph("Hi"), { "word/vbaProject.bin": "Sub AutoOpen()" }), "a.docm");
    expect(found).toMatchObject({ macros: true, text: "Hi" });
    const sheet = workbookOf({ A: `<row><c><v>1</v></c></row>` }, { "xl/vbaProject.bin": "x" });
    expect(await read(sheet, "a.xlsm")).toMatchObject({ macros: true });
  });

  test("more than the limit is cut, and that is said", async () => {
    const found = await read(wordOf(paragraph("x".repeat(500)).repeat(50)), "a.docx", {
      textCharsMax: 1_000,
    });
    expect(found.cut).toBe(true);
    expect(found.text.length).toBeLessThanOrEqual(1_000);
  });
});

describe("what gives no text is told as what it is, with what to do", () => {
  const entity = `<?xml version="1.0"?><!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><w:document><w:body>${paragraph("&x;")}</w:body></w:document>`;
  const billion = `<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><html><body>&b;</body></html>`;
  const locked = Buffer.concat([
    Buffer.from("d0cf11e0a1b11ae1", "hex"),
    Buffer.from("EncryptedPackage", "utf16le"),
  ]);
  const drm = `<encryption><CipherReference URI="OPS/text/c%200.xhtml"/></encryption>`;
  test.each([
    [
      "bomb.docx",
      wordOf(paragraph("0".repeat(30 * MB))),
      "it unpacks to more than is read of one, as files do that are built to fill memory",
    ],
    [
      "bomb.xlsx",
      workbookOf({ A: "" }, { "xl/sharedStrings.xml": " ".repeat(20 * MB) }),
      "built to fill memory",
    ],
    [
      "xxe.docx",
      wordOf("", { "word/document.xml": entity }),
      "it declares entities of its own, as files do that are built to read other files. Nothing was expanded or fetched",
    ],
    ["laughs.html", Buffer.from(billion), "it declares entities of its own"],
    [
      "locked.docx",
      locked,
      "it is an encrypted document that opens only with a password. Ask for a copy without a password.",
    ],
    [
      "locked.zip.docx",
      zipOf({ "word/document.xml": "x" }, { encrypted: true }),
      "opens only with a password",
    ],
    ["old.doc", Buffer.from("d0cf11e0a1b11ae1000000", "hex"), "Ask for it as .docx, .xlsx, .pptx or PDF."],
    [
      "shop.epub",
      bookOf(["<p>x</p>"], { "META-INF/encryption.xml": drm }),
      "protected against copying (DRM)",
    ],
    ["photos.zip", zipOf({ "a.jpg": "x" }), "it is an archive, not a document. Ask for it as text or PDF."],
    ["pictures.docx", wordOf("<w:p><w:drawing/></w:p>"), "there is no text in it"],
    ["half.docx", wordOf(paragraph("x")).subarray(0, 150), "it is damaged or not a real document"],
    [
      "broken.docx",
      broken(wordOf(paragraph("a longer paragraph of words"))),
      "it is damaged or not a real document",
    ],
    [
      "locked.pdf",
      pdfOf(["secret"], { encrypted: true }),
      "it is an encrypted PDF that opens only with a password",
    ],
    [
      "scan.pdf",
      pdfOf(["", ""]),
      "it is a PDF without text on any of its 2 pages, most likely a scan. Ask for a copy with text, or run text recognition (OCR) on it first.",
    ],
    ["bad.pdf", Buffer.from("%PDF-1.7 nonsense"), "it is damaged or not a real PDF"],
  ])("%s", async (name, bytes, words) => {
    const failed = read(bytes, name);
    await expect(failed).rejects.toMatchObject({ name: "ToolError" });
    await expect(failed).rejects.toThrow(`${name} was not read: `);
    await expect(failed).rejects.toThrow(words);
  });
});

test("what needs no reader is left to others", () => {
  for (const [name, bytes] of [
    ["a.csv", Buffer.from("Straße;1\n")],
    ["a.txt", Buffer.from("plain")],
    ["a.xml", Buffer.from("<a/>")],
    ["a.png", Buffer.from("\u0089PNG", "latin1")],
  ] as const)
    expect(documentKind(bytes, name), name).toBeUndefined();
});

/** With something else in place of what was packed. */
function broken(bytes: Buffer): Buffer {
  const at = bytes.indexOf("word/document.xml") + "word/document.xml".length;
  return Buffer.concat([bytes.subarray(0, at), Buffer.alloc(20, 0xff), bytes.subarray(at + 20)]);
}
