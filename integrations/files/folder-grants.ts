import type { GrantKey } from "@elwood/sdk/tool";
import { FileProblem } from "./file-problem.ts";
import type { FilesKit } from "./kit.ts";
import { baseOf } from "./scope.ts";

/**
 * What a standing permission over a file can be bound to: this very file, the folder it lies in,
 * or any of the folders around that one, which are there to be recognised when a permission for
 * one of them was given before. A file that cannot be reached has none.
 */
export async function folderGrants(
  kit: FilesKit,
  path: string,
  verb: "write" | "edit",
): Promise<readonly GrantKey[]> {
  try {
    const { root, names, shown, ...rest } = await kit.scope.locate(path, "write");
    const base = baseOf({ root, names, shown, ...rest });
    const from = (whole: string) => whole.slice(base.length + 1);
    const folders = names.map((_, i) => [root, ...names.slice(0, i)].join("/")).toReversed();
    return [
      { scope: "call", match: { path: shown }, words: `${verb} ${from(shown)}` },
      ...folders.map((folder): GrantKey => {
        const words = from(folder) === "" ? folder.slice(folder.lastIndexOf("/") + 1) : from(folder);
        return { scope: "similar", match: { folder }, words: `${verb} anything in ${words}/` };
      }),
    ];
  } catch (error) {
    if (error instanceof FileProblem) return [];
    throw error;
  }
}
