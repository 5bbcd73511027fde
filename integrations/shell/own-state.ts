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
