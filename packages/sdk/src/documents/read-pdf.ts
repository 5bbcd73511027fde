import type { DocumentRead, DocumentTask } from "./read-document.ts";
import { Unreadable } from "./unreadable.ts";

/** The first bytes of every PDF. */
export const PDF_START = "%PDF-";

/** Runs in a process of its own. Pages begin with a line that says which they are, where there are several. */
export async function readPdf({
  bytes,
  textCharsMax,
  pdfPagesMax,
}: Pick<DocumentTask, "bytes" | "textCharsMax" | "pdfPagesMax">): Promise<DocumentRead> {
  // 2 MB of code, loaded with the first PDF.
  const { getDocumentProxy } = await import("unpdf");
  const opened = await getDocumentProxy(bytes, { verbosity: 0 }).catch((cause: unknown) => {
    if (cause instanceof Error && cause.name === "PasswordException")
      throw new Unreadable("encrypted", "it opens only with a password");
    throw new Unreadable("damaged", cause instanceof Error ? cause.message : "it cannot be opened");
  });
  const about = new Map<string, unknown>(Object.entries((await opened.getMetadata()).info));
  const parts: string[] = [];
  let chars = 0;
  const last = Math.min(opened.numPages, pdfPagesMax);
  for (let at = 1; at <= last && chars < textCharsMax; at++) {
    const { items } = await (await opened.getPage(at)).getTextContent();
    const text = items.map((item) => ("str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : "")).join("");
    parts.push(text.trim());
    chars += text.length;
  }
  const written = parts.flatMap((text, i) =>
    text === "" ? [] : [opened.numPages === 1 ? text : `[Page ${i + 1}]\n${text}`],
  );
  if (written.length === 0) {
    const looked =
      opened.numPages > last ? `the first ${last} of its ${opened.numPages} pages` : counted(opened.numPages);
    throw new Unreadable("no-text", looked);
  }
  const text = written.join("\n\n");
  return {
    kind: "pdf",
    text: text.slice(0, textCharsMax),
    pages: opened.numPages,
    pagesWithoutText: parts.length - written.length,
    cut: text.length > textCharsMax || parts.length < opened.numPages,
    ...some("title", about.get("Title")),
    ...some("author", about.get("Author")),
  };
}

function counted(pages: number): string {
  return pages === 1 ? "its only page" : `any of its ${pages} pages`;
}

function some<const Name extends string>(name: Name, value: unknown): Partial<Record<Name, string>> {
  const text = typeof value === "string" ? value.trim().replaceAll(/\s+/g, " ") : "";
  return text === "" ? {} : ({ [name]: text } as Record<Name, string>);
}
