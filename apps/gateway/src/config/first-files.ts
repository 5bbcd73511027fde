import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "@elwood/platform/atomic-file";

/** A hill by the sea, 96 by 64. */
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAGAAAABACAMAAADS6oI8AAAAFVBMVEX/1oz6tHjmjHh4bpY8UG4oPEb/8Mju2BXgAAAAk0lEQVR42u3SQQ6DMAxEUZdfcv8jV6yQQLZCHHcR5m9B8xaxbcWZAAECBKwAtKMI+GRqZ94vNmnfFWzWvifYtH1HeDPQWpcgIAtQDADpK4riyP16A+xpEAppAJ4Jw/udQmK/S0jtBy9tY8973Y+EoaBWgFoBagWoFWCuQHECBAj4B7AXtwDwLW4BQFekK9IVLXBFP5/ePcPnQmPvAAAAAElFTkSuQmCC";

const FILES: Readonly<Record<string, string | Buffer>> = {
  "notes.md":
    "# Notes\n\n- Call the plumber about the kitchen tap\n- Book the train to Hamburg\n- A birthday card for Mia\n",
  "expenses.csv":
    "date,what,amount\n2026-01-04,groceries,41.20\n2026-01-06,train,29.90\n2026-01-09,books,18.50\n",
  "picture.png": Buffer.from(PICTURE, "base64"),
};

/**
 * Something to look at for whoever tries the demo: a few files, laid into a folder that is empty.
 * Called at the first start of all only, so that what its owner takes away stays away.
 */
export async function layOutFirstFiles(folder: string): Promise<void> {
  if ((await readdir(folder)).length > 0) return;
  for (const [name, content] of Object.entries(FILES))
    await writeFileAtomic(join(folder, name), content, { mode: 0o600, create: true });
}
