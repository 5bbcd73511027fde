/** Where a link of somebody else's text may lead: elsewhere on the web, or to a mail. Undefined: it is no link. */
export function linkTarget(href: string): URL | undefined {
  const url = URL.parse(href.trim());
  return url && ["http:", "https:", "mailto:"].includes(url.protocol) ? url : undefined;
}

/** The host that a link really leads to, where its words look like another address. */
export function hostToShow(words: string, target: URL): string | undefined {
  if (target.protocol === "mailto:") return undefined;
  const named = hostIn(words.trim());
  return named === undefined || sameHost(named, target.hostname) ? undefined : target.host;
}

/** The host that the words name, if they look like an address at all. */
function hostIn(words: string): string | undefined {
  if (/\s/.test(words) || words === "") return undefined;
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(words) ? URL.parse(words) : undefined;
  if (url) return url.hostname;
  const host = /^(?:www\.)?([\p{L}\p{N}-]+\.)+\p{L}{2,}(?=[/:?#]|$)/iu.exec(words)?.[0];
  return host === undefined ? undefined : (URL.parse(`https://${host}`)?.hostname ?? host);
}

function sameHost(a: string, b: string): boolean {
  return bare(a) === bare(b);
}

function bare(host: string): string {
  return host.toLowerCase().replace(/^www\./, "");
}
