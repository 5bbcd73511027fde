import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { result, ToolError, type CallAbout, type Preview, type ToolContext } from "@elwood/sdk/tool";
import { safeName } from "./file-name.ts";
import type { BrowserKit } from "./kit.ts";
import { saveNew } from "./save-new.ts";
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
