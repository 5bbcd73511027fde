import { type MarkupElement, type MarkupRules, readMarkup } from "./read-markup.ts";

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}

const TEXT: MarkupRules = {
  tags: words(
    "div p br hr strong em del sup pre code span a ul ol li blockquote h3 table thead tbody tr th td",
  ),
  attributes: words("href title class start"),
};

/** What formulas are made of: shapes and signs, no links, no styles, no names. */
const MATH: MarkupRules = {
  tags: words(
    "math mrow mi mo mn mtext ms mspace msup msub msubsup mfrac msqrt mroot munder mover munderover mtable mtr mtd mpadded mphantom mstyle menclose mmultiscripts mprescripts none",
  ),
  attributes: words(
    "display displaystyle scriptlevel mathvariant stretchy fence separator form lspace rspace accent accentunder largeop symmetric movablelimits minsize maxsize linethickness width height depth voffset columnalign columnspan rowspan notation class",
  ),
};

/** A formula's MathML, with nothing in it that is not on the list. */
export function cleanMath(markup: string): DocumentFragment {
  return drawn(readMarkup(markup, MATH), (tag) =>
    document.createElementNS("http://www.w3.org/1998/Math/MathML", tag),
  );
}

/**
 * The one place where text becomes markup, on the whole page. What is not on the list is
 * left out, whoever made it; addresses lead to the web or to a mail.
 */
export function cleanMarkup(markup: string): DocumentFragment {
  return drawn(readMarkup(markup, TEXT), (tag) => document.createElement(tag));
}

/** Made one by one, and never from a text: the page's policy would refuse that. */
function drawn(children: MarkupElement["children"], create: (tag: string) => Element): DocumentFragment {
  const fragment = document.createDocumentFragment();
  const left = [{ into: fragment as ParentNode, children }];
  for (const each of left)
    for (const child of each.children) {
      if (typeof child === "string") {
        each.into.append(child);
        continue;
      }
      const element = create(child.tag);
      for (const [name, value] of child.attributes) element.setAttribute(name, value);
      each.into.append(element);
      left.push({ into: element, children: child.children });
    }
  return fragment;
}
