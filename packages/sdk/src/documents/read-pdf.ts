/** Runs in a thread of its own: see pdf-reader.ts. */

export interface PdfTask {
  readonly bytes: Uint8Array;
  readonly textCharsMax: number;
  readonly pdfPagesMax: number;
}

export interface PdfText {
  readonly kind: "text";
  /** The pages' texts, with an empty line between them. Never empty. */
  readonly text: string;
  readonly pages: number;
  /** Pages that were looked at and hold no text: pictures, most likely. */
  readonly pagesWithoutText: number;
  /** More was there than is kept. */
  readonly cut: boolean;
  readonly title?: string;
  readonly author?: string;
}

export type PdfRead =
  | PdfText
  /** None of its pages holds text. */
  | { readonly kind: "no-text"; readonly pages: number }
  /** It cannot be opened without a password. */
  | { readonly kind: "encrypted" };

export async function readPdf({ bytes, textCharsMax, pdfPagesMax }: PdfTask): Promise<PdfRead> {
  // 2 MB of code, in the thread that reads PDFs alone.
  const { getDocumentProxy } = await import("unpdf");
  const opened = await getDocumentProxy(bytes, { verbosity: 0 }).catch((cause: unknown) => {
    if (cause instanceof Error && cause.name === "PasswordException") return undefined;
    throw cause;
  });
  if (opened === undefined) return { kind: "encrypted" };
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
  const written = parts.filter((text) => text !== "");
  if (written.length === 0) return { kind: "no-text", pages: opened.numPages };
  const text = written.join("\n\n");
  return {
    kind: "text",
    text: text.slice(0, textCharsMax),
    pages: opened.numPages,
    pagesWithoutText: parts.length - written.length,
    cut: text.length > textCharsMax || parts.length < opened.numPages,
    ...some("title", about.get("Title")),
    ...some("author", about.get("Author")),
  };
}

function some<const Name extends string>(name: Name, value: unknown): Partial<Record<Name, string>> {
  const text = typeof value === "string" ? value.trim().replaceAll(/\s+/g, " ") : "";
  return text === "" ? {} : ({ [name]: text } as Record<Name, string>);
}
