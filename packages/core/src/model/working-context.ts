import { LIMITS } from "../base/limits.ts";
import { showLine } from "../base/show.ts";

/**
 * The context an agent works in: its folders, commands and time zone. Constant within a session, since
 * it is part of the prompt that providers cache.
 */
export interface WorkingContext {
  /** Folders of the file tools. Relative paths start in the first one. */
  readonly folders: readonly OpenFolder[];
  readonly commands: CommandPlace;
  /** The owner's, such as `Europe/Berlin`. */
  readonly timeZone: string;
}

export interface OpenFolder {
  readonly path: string;
  readonly write: boolean;
  /** The one with the agents' own files, tools and skills. */
  readonly workspace?: boolean;
}

export interface CommandPlace {
  readonly folder: string;
  /** `asks`: none, unless a call asks for it. `always`: commands are not caged. */
  readonly network: "asks" | "always";
}

/** Said in the prompt. */
export function foldersInWords(folders: readonly OpenFolder[]): string {
  const [first] = folders;
  if (first === undefined) return "There is no folder that you may use.";
  const writable = listOf(folders.filter(({ write }) => write));
  const readable = listOf(folders.filter(({ write }) => !write));
  const may = [
    ...(writable === "" ? [] : [`read and change files in ${writable}`]),
    ...(readable === "" ? [] : [`only read files in ${readable}`]),
  ];
  return `You may ${may.join(", and ")}. Relative paths start in ${showLine(first.path)}; to read or edit the only file of a name, its name will do.`;
}

/** Said of every path that a file tool takes; which folders there are stands in the prompt. */
export function pathInWords([first]: readonly OpenFolder[]): string {
  return first === undefined ? "There is none." : `Absolute, or relative to ${showLine(first.path)}.`;
}

/** Said in the prompt, and of the folder of a command. */
export function commandFolderInWords(folder: string): string {
  return `Commands run in ${showLine(folder)}.`;
}

export function networkInWords({ network }: CommandPlace): string {
  return network === "asks"
    ? "They have no network unless the call asks for it."
    : "They have this machine's network.";
}

export function timeZoneInWords(timeZone: string): string {
  return `The owner's time zone is ${showLine(timeZone)}.`;
}

function listOf(folders: readonly OpenFolder[]): string {
  const shown = folders
    .slice(0, LIMITS.promptFoldersMax)
    .map(({ path, workspace }) => `${showLine(path)}${workspace === true ? " (your workspace)" : ""}`);
  const left = folders.length - shown.length;
  if (left > 0) shown.push(`${left} more`);
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}
