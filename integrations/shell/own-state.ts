/**
 * Whether a text names a place in Elwood's own folders. It keeps honest commands away from
 * them; what keeps the others away is that these folders do not exist in the cage.
 */
export function namesOwnState(
  texts: readonly string[],
  ground: { readonly denied: readonly string[]; readonly root: string; readonly userHome: string },
): boolean {
  return texts.some((text) => {
    const full = text.replaceAll(
      /(^|[\s"'=:])~(?=\/)|\$HOME\b|\$\{HOME\}/g,
      (_, before?: string) => `${before ?? ""}${ground.userHome}`,
    );
    return ground.denied.some((denied) => mentions(full, denied, ground.root));
  });
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
