import temml from "temml";
import { cleanMath } from "./clean-markup.ts";

/** So often a formula may replace its own macros: one that grows for ever ends. */
const EXPANSIONS_MAX = 200;
const EM_MAX = 40;

/** A formula as MathML; undefined where it is none that can be read. Nothing in it can fetch, link or style. */
export function formula(raw: string): DocumentFragment | undefined {
  const { tex, display } = unwrapped(raw.trim());
  try {
    const markup = temml.renderToString(tex, {
      displayMode: display,
      throwOnError: true,
      trust: false,
      maxExpand: EXPANSIONS_MAX,
      maxSize: [EM_MAX, 1_000],
    });
    // The page's policy refuses styles, and would say so of each. In text, a quote is written as a reference.
    return cleanMath(markup.replaceAll(/ style="[^"]*"/g, ""));
  } catch {
    return undefined; // it stays as it was written
  }
}

/** What is between the signs that a formula begins and ends with. */
export function unwrapped(raw: string): { readonly tex: string; readonly display: boolean } {
  const display = raw.startsWith("$$") || raw.startsWith("\\[");
  const sign = raw.startsWith("$") && !display ? 1 : 2;
  return { tex: raw.slice(sign, -sign), display };
}
