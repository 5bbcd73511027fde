/** Where a link of somebody else's text may lead: elsewhere on the web, or to a mail. Undefined: it is no link. */
export function linkTarget(href: string): URL | undefined {
  const url = URL.parse(href.trim());
  return url && ["http:", "https:", "mailto:"].includes(url.protocol) ? url : undefined;
}

/** The host that a link really leads to, where its words look like another address. */
export function hostToShow(words: string, target: URL): string | undefined {
  if (target.protocol === "mailto:") return undefined;
  // A name before an @ reads like the host, and letters of other scripts like those of ours.
  const deceives = target.username !== "" || target.hostname.includes("xn--");
  const others = words.split(/[\s"'“”()<>]+/).filter((word) => namesOther(word, target));
  return deceives || others.length > 0 ? target.host : undefined;
}

function namesOther(word: string, target: URL): boolean {
  const named = hostIn(word);
  return named !== undefined && !sameHost(named, target.hostname);
}

/** The host that a word names, if it looks like an address at all. */
function hostIn(word: string): string | undefined {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(word) ? URL.parse(word) : undefined;
  if (url) return url.hostname;
  const host = /^(?:www\.)?([\p{L}\p{N}-]+\.)+\p{L}{2,}(?=[/:?#.,;!]|$)/iu.exec(word)?.[0];
  return host === undefined ? undefined : (URL.parse(`https://${host}`)?.hostname ?? host);
}

function sameHost(a: string, b: string): boolean {
  return bare(a) === bare(b);
}

function bare(host: string): string {
  return host.toLowerCase().replace(/^www\./, "");
}
