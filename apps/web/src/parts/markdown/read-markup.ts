/** What may stand in markup: everything else in it is left out, or shown as it was written. */
export interface MarkupRules {
  readonly tags: ReadonlySet<string>;
  readonly attributes: ReadonlySet<string>;
}

export interface MarkupElement {
  readonly tag: string;
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly children: (MarkupElement | string)[];
}

const TAG = /<(\/?)([a-z][a-z0-9]*)((?: [a-z][\w-]*=(?:"[^"]*"|'[^']*'))*)>/gi;
const ATTRIBUTE = / ([a-z][\w-]*)=(?:"([^"]*)"|'([^']*)')/gi;
/** They have no content, and no end. */
const EMPTY = new Set(["br", "hr"]);

/**
 * Reads the markup that this page's own writers make, and no other. No browser's reader is asked, so that
 * nothing can mean one thing here and another there: a tag that is not on the list is left out, what is not
 * written like a tag is text, and addresses lead to the web or to a mail.
 */
export function readMarkup(markup: string, { tags, attributes }: MarkupRules): MarkupElement["children"] {
  const root: MarkupElement = { tag: "", attributes: [], children: [] };
  const open = [root];
  let read = 0;
  const addText = (end: number) => {
    if (end > read) open.at(-1)?.children.push(decoded(markup.slice(read, end)));
  };
  for (const { index, 0: whole, 1: slash, 2: name = "", 3: written = "" } of markup.matchAll(TAG)) {
    addText(index);
    read = index + whole.length;
    const tag = name.toLowerCase();
    if (!tags.has(tag)) continue;
    if (slash === "/") {
      const at = open.findLastIndex((each) => each.tag === tag);
      if (at > 0) open.length = at;
      continue;
    }
    const element: MarkupElement = { tag, attributes: allowed(written, attributes), children: [] };
    open.at(-1)?.children.push(element);
    if (!EMPTY.has(tag)) open.push(element);
  }
  addText(markup.length);
  return root.children;
}

const ADDRESS = /^(?:https?|mailto):/i;

function allowed(written: string, names: ReadonlySet<string>): MarkupElement["attributes"] {
  return [...written.matchAll(ATTRIBUTE)]
    .map(([, name = "", double, single]) => [name.toLowerCase(), decoded(double ?? single ?? "")] as const)
    .filter(([name, value]) => names.has(name) && (name !== "href" || ADDRESS.test(value)));
}

/** The references that `token-markup.ts` lets stand in prose, and those that writers of markup use. */
const NAMED: Readonly<Record<string, string>> = Object.fromEntries(
  "amp& lt< gt> quot\" apos' nbsp\u00a0 copy© reg® trade™ hellip… mdash— ndash– times× divide÷ plusmn± deg° euro€ pound£ middot· bull• larr← rarr→ lsquo‘ rsquo’ ldquo“ rdquo” ouml\u00f6 auml\u00e4 uuml\u00fc szlig\u00df eacute\u00e9"
    .split(" ")
    .map((each) => [each.slice(0, -1), each.slice(-1)]),
);

function decoded(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,6}));/gi, (whole, hex, decimal, name) => {
    if (typeof name === "string") return NAMED[name] ?? whole;
    const code = typeof hex === "string" ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
