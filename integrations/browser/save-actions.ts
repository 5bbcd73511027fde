import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, mkdir, open, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { result, ToolError, type CallAbout, type Preview, type ToolContext } from "@elwood/sdk/tool";
import type { BrowserKit } from "./kit.ts";
import { inWords, quoted, sizeInWords } from "./words.ts";

interface Saving {
  readonly download: string;
  readonly name?: string | undefined;
}

const FOLDER = "downloads";
const SAVE = "browser.download.save";

export function makeSaveActions({ pool, limits, options, shown }: BrowserKit) {
  async function look(session: string, { download, name }: Saving) {
    const root = options.saveUnder;
    if (root === undefined) {
      throw new ToolError(
        "no_folder",
        "No folder may be written to, so nothing can be saved. Give Elwood one with files.roots in the configuration.",
      );
    }
    const held = await pool.existing(session).downloads.get(download);
    const bytes = await readFile(held.path);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const identity = [
      `Source: ${inWords(held.url, limits.urlCharsMax)}`,
      `Sent as: ${inWords(held.name, limits.nameCharsMax)}`,
      `Size: ${bytes.length} bytes`,
      `SHA-256: ${sha256}`,
    ].join("\n");
    return { root, held, bytes, sha256, identity, as: safeName(name ?? held.name) };
  }

  return {
    async savePreview(call: Saving, { session = "" }: CallAbout): Promise<Preview> {
      const { root, bytes, identity, as } = await look(session, call);
      const folder = join(root, FOLDER);
      shown.keep(session, SAVE, call, identity);
      return {
        sentence: `Save ${quoted(as, limits.nameCharsMax)} (${sizeInWords(bytes.length)}) into ${folder}.`,
        before: identity,
        after: `${identity}\nSaved as: ${join(folder, as)}`,
        subject: join(folder, as),
      };
    },

    async save(call: Saving, ctx: ToolContext) {
      const { root, held, bytes, sha256, identity, as } = await look(ctx.session, call);
      if ((shown.take(ctx.session, SAVE, call) ?? identity) !== identity)
        throw new ToolError("changed", "The file is not the one that was approved. Nothing was saved.");
      ctx.progress(`Saving ${as} …`);
      const path = await saveNew(root, FOLDER, as, bytes);
      await pool.peek(ctx.session)?.downloads.drop(held);
      return result(
        { path, bytes: bytes.length, sha256 },
        { text: `Saved ${path} (${sizeInWords(bytes.length)}).` },
      );
    },
  };
}

const NAME_BYTES_MAX = 120;

/** A name that a page chose, made fit to be one in a folder: no path, no dot before it, nothing that hides. */
export function safeName(given: string): string {
  const last = given.normalize("NFC").split(/[/\\]/).at(-1) ?? "";
  const plain = last
    .toWellFormed()
    .replaceAll(
      /[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffd<>:"|?*]/g,
      "_",
    )
    .replaceAll(/\.{2,}/g, ".")
    .replace(/^[.\s-]+/, "")
    .replace(/[.\s]+$/, "");
  return shortened(plain) || "download";
}

function shortened(name: string): string {
  const dot = name.lastIndexOf(".");
  const end = dot > 0 ? name.slice(dot).slice(0, 16) : "";
  let start = (dot > 0 ? name.slice(0, dot) : name).slice(0, NAME_BYTES_MAX);
  while (Buffer.byteLength(start + end) > NAME_BYTES_MAX) start = start.slice(0, -1);
  return (start.isWellFormed() ? start : start.slice(0, -1)) + end;
}

/** Writes a file that is not there yet. The folder is kept open, so that nobody can swap it meanwhile. */
async function saveNew(root: string, folderName: string, name: string, bytes: Buffer): Promise<string> {
  const folder = join(root, folderName);
  await mkdir(folder).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const held = await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(() => {
    throw new ToolError("no_folder", `${folder} is not a plain folder. Nothing was saved.`);
  });
  try {
    const through = await pathOf(held.fd, folder);
    if ((await realpath(through)) !== join(await realpath(root), folderName))
      throw new ToolError("no_folder", `${folder} is not a plain folder. Nothing was saved.`);
    const file = await create(join(through, name), join(folder, name));
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    return join(folder, name);
  } finally {
    await held.close();
  }
}

async function create(path: string, shown: string) {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
    throw new ToolError("exists", `${shown} is there already. Nothing was saved; give another name.`);
  });
}

/** The open folder itself; where the system has no such path, the folder by its name. */
async function pathOf(descriptor: number, folder: string): Promise<string> {
  const path = `/proc/self/fd/${descriptor}`;
  return lstat(path).then(
    () => path,
    () => folder,
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
