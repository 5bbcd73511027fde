/** Small documents of every kind that reading them has to tell apart. */
import { crc32, deflateRawSync } from "node:zlib";

/** An archive of parts, by name. */
export function zipOf(
  parts: Readonly<Record<string, string | Uint8Array>>,
  options: { readonly encrypted?: boolean } = {},
): Buffer<ArrayBuffer> {
  const flag = options.encrypted === true ? 1 : 0;
  const bodies: Buffer[] = [];
  const list: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(parts)) {
    const plain = Buffer.from(content as string);
    const packed = deflateRawSync(plain);
    const sizes = Buffer.alloc(12);
    sizes.writeUInt32LE(crc32(plain), 0);
    sizes.writeUInt32LE(packed.length, 4);
    sizes.writeUInt32LE(plain.length, 8);
    const called = Buffer.from(name);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    local.writeUInt16LE(flag, 6);
    local.writeUInt16LE(8, 8);
    sizes.copy(local, 14);
    local.writeUInt16LE(called.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(flag, 8);
    entry.writeUInt16LE(8, 10);
    sizes.copy(entry, 16);
    entry.writeUInt16LE(called.length, 28);
    entry.writeUInt32LE(offset, 42);
    bodies.push(local, called, packed);
    list.push(entry, called);
    offset += local.length + called.length + packed.length;
  }
  const listed = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(parts).length, 8);
  end.writeUInt16LE(Object.keys(parts).length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, listed, end]);
}

/** A Word document with this in its body. */
export function wordOf(body: string, parts: Readonly<Record<string, string>> = {}): Buffer<ArrayBuffer> {
  const document = `<?xml version="1.0"?><w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`;
  return zipOf({ "[Content_Types].xml": "<Types/>", "word/document.xml": document, ...parts });
}

export const paragraph = (text: string, style = "") =>
  `<w:p>${style === "" ? "" : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`;

/** A workbook with one sheet for each, by name: what is in its `sheetData`. */
export function workbookOf(
  sheets: Readonly<Record<string, string>>,
  parts: Readonly<Record<string, string>> = {},
): Buffer<ArrayBuffer> {
  const names = Object.keys(sheets);
  const list = names
    .map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`)
    .join("");
  const targets = names
    .map((_, i) => `<Relationship Id="rId${i + 1}" Target="worksheets/sheet${i + 1}.xml"/>`)
    .join("");
  return zipOf({
    "xl/workbook.xml": `<workbook xmlns:r="r"><sheets>${list}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships>${targets}</Relationships>`,
    ...Object.fromEntries(
      Object.values(sheets).map((rows, i) => [
        `xl/worksheets/sheet${i + 1}.xml`,
        `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
    ...parts,
  });
}

/** A book of chapters, each the body of a page. */
export function bookOf(
  chapters: readonly string[],
  parts: Readonly<Record<string, string>> = {},
): Buffer<ArrayBuffer> {
  const items = chapters.map((_, i) => `<item id="c${i}" href="text/c%20${i}.xhtml"/>`).join("");
  const spine = chapters.map((_, i) => `<itemref idref="c${i}"/>`).join("");
  return zipOf({
    mimetype: "application/epub+zip",
    "META-INF/container.xml": `<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>`,
    "OPS/book.opf": `<package><metadata><dc:title>A Book</dc:title><dc:creator>A. Author</dc:creator></metadata><manifest>${items}</manifest><spine>${spine}</spine></package>`,
    ...Object.fromEntries(
      chapters.map((body, i) => [`OPS/text/c ${i}.xhtml`, `<html><body>${body}</body></html>`]),
    ),
    ...parts,
  });
}
