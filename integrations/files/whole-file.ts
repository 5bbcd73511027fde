import { imageType, readWhole, textOf } from "./file-content.ts";
import { FileProblem } from "./file-problem.ts";
import type { FilesKit } from "./kit.ts";

export interface WholeFile {
  readonly bytes: Buffer;
  /** By what is in it; a name proves nothing. */
  readonly mimeType: string;
  /** The path as people see it. */
  readonly shown: string;
}

/** A file that may be read, from its first byte to its last. */
export async function wholeFile(
  { scope, opener, limits }: Pick<FilesKit, "scope" | "opener" | "limits">,
  path: string,
): Promise<WholeFile> {
  const place = await scope.locate(path, "read");
  return opener.atSpot(place, {}, async (spot) => {
    const file = await opener.openFile(spot);
    if (file === undefined) throw new FileProblem("not-found", `${place.shown} does not exist.`);
    try {
      const bytes = await readWhole(file, limits.attachedBytesMax, place.shown);
      return { bytes, mimeType: typeOf(bytes), shown: place.shown };
    } finally {
      await file.handle.close();
    }
  });
}

function typeOf(bytes: Buffer): string {
  if (bytes.subarray(0, 5).toString("latin1") === "%PDF-") return "application/pdf";
  return imageType(bytes) ?? (textOf(bytes) === undefined ? "application/octet-stream" : "text/plain");
}
