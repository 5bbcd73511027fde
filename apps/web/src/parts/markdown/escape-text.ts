import { MARK_SIGN } from "@elwood/sdk/view-state/mark-sign";

/** Text as markup that shows it, letter by letter; a mark that came to stand in code shows without its sign. */
export function escapeText(text: string): string {
  return text.replaceAll(MARK_SIGN, "").replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/**
 * The same for prose, where a reference such as `&nbsp;` stands for its character. One that
 * could turn or hide text, or forge a mark of Elwood's, is shown as it was written: what is
 * checked in a text is its letters, and a reference must be no way around that.
 */
export function escapeProse(text: string): string {
  return text
    .replaceAll(MARK_SIGN, "")
    .replace(/&[^\s&;]{1,10};|[&<>"']/g, (found) =>
      found.length > 1 && isHarmless(found) ? found : escapeText(found),
    );
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const NAMED =
  /^&(?:amp|lt|gt|quot|apos|nbsp|copy|reg|trade|hellip|[mn]dash|times|divide|plusmn|deg|euro|pound|middot|bull|[lr]arr|[lr][sd]?quo|ouml|auml|uuml|szlig|eacute);$/;

function isHarmless(reference: string): boolean {
  if (NAMED.test(reference)) return true;
  const [, hex, decimal] = /^&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));$/i.exec(reference) ?? [];
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return (code >= 0x20 && code <= 0x7e) || (code >= 0xa0 && code <= 0xff && code !== 0xad);
}
