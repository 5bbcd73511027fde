import { isAbsolute } from "node:path";
import { SHELL_LIMITS } from "./limits.ts";
import { follow, isInside, realOrNothing, type Places } from "./places.ts";

/**
 * Whether a text names a place in Elwood's own folders. It keeps honest commands away from
 * them; what keeps the others away is that these folders do not exist in the cage.
 */
export function namesOwnState(
  texts: readonly string[],
  ground: { readonly denied: readonly string[]; readonly root: string },
): boolean {
  return texts.some((text) => ground.denied.some((denied) => mentions(text, denied, ground.root)));
}

/**
 * The same for words that lead there from where the command runs, and for links to it. What
 * does not exist is left to the other rules, and nothing outside of these folders is touched.
 */
export async function leadsToOwnState(
  texts: readonly string[],
  { root, cwd }: Places,
  denied: readonly string[],
): Promise<boolean> {
  const places = await Promise.all(denied.map(async (each) => (await realOrNothing(each)) ?? each));
  const folders = [
    { written: root, real: root },
    ...denied.map((written, at) => ({ written, real: places[at] ?? written })),
  ];
  const own = (path: string) => places.some((each) => isOwn(path, each, root));
  if (own(cwd)) return true;
  const words = new Set(texts.flatMap((text) => [text, ...text.split(BETWEEN_WORDS)]));
  for (const word of [...words].slice(0, SHELL_LIMITS.ownWordsMax)) {
    if (word === "" || word.includes("\0")) continue;
    const led = await follow(isAbsolute(word) ? word : `${cwd}/${word}`, folders);
    if (led?.whole === true && own(led.path)) return true;
  }
  return false;
}

/** A working root in Elwood's folder is the owner's; that the folder is named beside it gives nothing away. */
function isOwn(path: string, own: string, root: string): boolean {
  if (!isInside(path, own)) return false;
  return !isInside(root, own) || (path !== own && !isInside(path, root));
}

/** Where a word of a shell, or the value of an option, begins and ends. */
const BETWEEN_WORDS = /[\s"'`;|&<>()=]+/;

/** A line for a shell, with the names of the home folder written out as the shell would. */
export function withHome(line: string, home: string): string {
  return line.replaceAll(
    /(^|[\s"'=:])~(?=\/)|\$HOME\b|\$\{HOME\}/g,
    (_, before?: string) => `${before ?? ""}${home}`,
  );
}

function mentions(text: string, denied: string, root: string): boolean {
  for (let at = text.indexOf(denied); at >= 0; at = text.indexOf(denied, at + 1)) {
    const rest = text.slice(at);
    const inRoot = rest.startsWith(root) && ends(rest, root.length) && !/^[^\s"';|&]*\/\.\.(\/|$)/.test(rest);
    if (ends(rest, denied.length) && !inRoot) return true;
  }
  return false;
}

/** What follows is not the rest of a longer name. */
function ends(text: string, at: number): boolean {
  return at >= text.length || !/[\w.-]/.test(text[at]!);
}
