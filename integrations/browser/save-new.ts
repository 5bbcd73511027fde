import { constants } from "node:fs";
import { lstat, mkdir, open, realpath } from "node:fs/promises";
import { join } from "node:path";
import { ToolError } from "@elwood/sdk/tool";

/** Writes a file that is not there yet. The folder is held by its descriptor, so that nobody can swap it meanwhile. */
export async function saveNew(
  root: string,
  folderName: string,
  name: string,
  bytes: Buffer,
): Promise<string> {
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
