import DOMPurify from "dompurify";

const TAGS =
  "div p br hr strong em del sup pre code span a ul ol li blockquote h3 table thead tbody tr th td".split(
    " ",
  );

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
