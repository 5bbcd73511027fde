import { LIMITS } from "@elwood/core/base/limits";
import type { FileBlock, Message } from "@elwood/core/message/message";
import type { ModelRequest } from "@elwood/core/model/model";

/** The bytes a request needs, read beforehand so that the conversion itself is pure. */
export type BlobBytes = ReadonlyMap<string, Loaded>;

/** A document that no model takes as it is has its text instead of its bytes. */
type Loaded = Uint8Array | { readonly text: string } | "gone" | "left-out";

/**
 * Reads the pictures and files of a conversation, the newest first, up to a limit: a long
 * session full of screenshots would otherwise grow past what any provider takes.
 */
export async function loadBlobs(
  messages: readonly Message[],
  { readBlob, readText }: Pick<ModelRequest, "readBlob" | "readText">,
): Promise<BlobBytes> {
  const loaded = new Map<string, Loaded>();
  let left: number = LIMITS.modelBlobBytesMax;
  for (const { blobId, file } of blobsNewestFirst(messages)) {
    if (loaded.has(blobId)) continue;
    if (file !== undefined && readText !== undefined && left > 0 && isDocument(file)) {
      const text = await readText(blobId, file.name);
      left -= Math.min(text?.length ?? 0, LIMITS.modelFileCharsMax);
      loaded.set(blobId, text === undefined ? "gone" : { text });
      continue;
    }
    const bytes = left > 0 ? await readBlob(blobId) : undefined;
    if (left > 0 && bytes === undefined) {
      loaded.set(blobId, "gone");
      continue;
    }
    if (bytes === undefined || bytes.length > left) {
      loaded.set(blobId, "left-out");
      continue;
    }
    left -= bytes.length;
    loaded.set(blobId, bytes);
  }
  return loaded;
}

interface StoredBlob {
  readonly blobId: string;
  readonly file?: FileBlock;
}

/** A list, since most conversations have none: to hand them out one by one took ten times as long for every request. */
function blobsNewestFirst(messages: readonly Message[]): readonly StoredBlob[] {
  const blobs: StoredBlob[] = [];
  for (let at = messages.length - 1; at >= 0; at--) {
    const { blocks } = messages[at]!;
    for (let n = blocks.length - 1; n >= 0; n--) {
      const block = blocks[n]!;
      if (block.type === "image") blobs.push({ blobId: block.blobId });
      else if (block.type === "file") blobs.push({ blobId: block.blobId, file: block });
      else if (block.type === "tool_result" && block.images)
        for (const { blobId } of block.images) blobs.push({ blobId });
    }
  }
  return blobs;
}

/** A picture as a model can see it, or a note in its place. */
export type Picture =
  | { readonly kind: "picture"; readonly mime: string; readonly base64: string }
  | { readonly kind: "text"; readonly text: string };

/** A picture as messages refer to it. */
export interface StoredPicture {
  readonly mime: string;
  readonly blobId: string;
  readonly name?: string | undefined;
}

/** Kinds of picture that every provider reads. */
const PICTURE_MIMES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export function picture(image: StoredPicture, blobs: BlobBytes): Picture {
  const name = image.name ? ` ${JSON.stringify(image.name)}` : "";
  const loaded = blobs.get(image.blobId);
  const bytes = loaded instanceof Uint8Array || loaded === "left-out" ? loaded : undefined;
  if (bytes === "left-out")
    return {
      kind: "text",
      text: `[A picture${name} is left out here: too much is attached to this conversation.]`,
    };
  if (bytes === undefined)
    return { kind: "text", text: `[A picture${name} stood here; it is no longer stored.]` };
  if (!PICTURE_MIMES.includes(image.mime))
    return {
      kind: "text",
      text: `[A picture${name} of type ${image.mime} stands here; you cannot see this type.]`,
    };
  return { kind: "picture", mime: image.mime, base64: base64Of(bytes) };
}

/** Pictures that the model made earlier cannot be sent back in its own name. */
export function ownPictureNote(image: { name?: string | undefined }): string {
  return `[You made a picture here${image.name ? `: ${JSON.stringify(image.name)}` : ""}. The owner can see it.]`;
}

export type FileContent =
  | { readonly kind: "pdf"; readonly name: string; readonly base64: string }
  | { readonly kind: "text"; readonly text: string };

/** A file as a model can take it: a PDF as such, text as fenced data, anything else as a note. */
export function fileContent(file: FileBlock, blobs: BlobBytes): FileContent {
  const name = JSON.stringify(file.name);
  const bytes = blobs.get(file.blobId);
  if (bytes === "left-out")
    return note(`The file ${name} is left out here: too much is attached to this conversation.`);
  if (bytes === undefined || bytes === "gone")
    return note(`The file ${name} stood here; it is no longer stored.`);
  if (!(bytes instanceof Uint8Array)) return { kind: "text", text: fenced(file, bytes.text) };
  if (file.mime === "application/pdf") return { kind: "pdf", name: file.name, base64: base64Of(bytes) };
  if (!isText(file.mime))
    return note(
      `The file ${name} (${file.mime}, ${file.bytes} bytes) is attached; you cannot read this type.`,
    );
  return { kind: "text", text: fenced(file, new TextDecoder().decode(bytes)) };
}

/** A file's words are data, never the owner speaking; they cannot close the fence themselves. */
function fenced(file: FileBlock, text: string): string {
  const inside = text.slice(0, LIMITS.modelFileCharsMax).replace(/<(\/?)data/gi, "<$1 data");
  const cut =
    text.length > LIMITS.modelFileCharsMax ? `\n[The rest of ${text.length} characters is left out.]` : "";
  const name = file.name.replace(/[<>"\r\n]/g, "_");
  return `<data origin="${file.origin ?? "attached"}" file="${name}">\n${inside}${cut}\n</data>`;
}

function note(text: string): FileContent {
  return { kind: "text", text: `[${text}]` };
}

/** Neither text nor something that models take as it is. A web page is better read than taken as its source. */
function isDocument({ mime }: FileBlock): boolean {
  if (mime === "text/html" || mime === "application/xhtml+xml") return true;
  return mime !== "application/pdf" && !mime.startsWith("image/") && !isText(mime);
}

function isText(mime: string): boolean {
  return /^text\/|[/+](json|xml|yaml|x-yaml|toml|javascript|typescript|x-sh|sql)\b/.test(mime);
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
