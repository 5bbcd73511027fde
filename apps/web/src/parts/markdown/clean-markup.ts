import DOMPurify from "dompurify";

const TAGS =
  "div p br hr strong em del sup pre code span a ul ol li blockquote h3 table thead tbody tr th td".split(
    " ",
  );

/** What formulas are made of: shapes and signs, no links, no styles, no names. */
const MATH_TAGS =
  "math mrow mi mo mn mtext ms mspace msup msub msubsup mfrac msqrt mroot munder mover munderover mtable mtr mtd mpadded mphantom mstyle menclose mmultiscripts mprescripts none".split(
    " ",
  );
const MATH_ATTRIBUTES =
  "display displaystyle scriptlevel mathvariant stretchy fence separator form lspace rspace accent accentunder largeop symmetric movablelimits minsize maxsize linethickness width height depth voffset columnalign columnspan rowspan notation class".split(
    " ",
  );

/** A formula's MathML, with nothing in it that is not on the list. */
export function cleanMath(markup: string): DocumentFragment {
  return DOMPurify.sanitize(markup, {
    ALLOWED_TAGS: MATH_TAGS,
    ALLOWED_ATTR: MATH_ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}

/**
 * The one place where text becomes markup, on the whole page. What is not on the list is
 * left out, whoever made it; addresses lead to the web or to a mail.
 */
export function cleanMarkup(markup: string): DocumentFragment {
  return DOMPurify.sanitize(markup, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ["href", "title", "class", "start"],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
    // The number that a list begins with: it is held to be an address otherwise, and left out.
    ADD_URI_SAFE_ATTR: ["start"],
    RETURN_DOM_FRAGMENT: true,
  });
}
