import type { Page } from "playwright-core";

/** The whole conversation as it stands on the page: one line for each element that says or means something. */
export async function readConversation(page: Page): Promise<string[]> {
  return page.locator("elwood-message-list").evaluate(outline);
}

/** Runs in the page. Times are left out, which pass, and ids that are made when something is drawn. */
function outline(list: Element): string[] {
  const MEANT = ["aria-label", "title", "role", "href", "disabled", "open", "data-from"];
  const drawn = (text: string) => text.replaceAll(/\s+/gu, " ").trim();
  const lines = (node: Node, depth: number): string[] => {
    if (node.nodeType === Node.TEXT_NODE)
      return drawn(node.textContent ?? "") === "" ? [] : [" ".repeat(depth) + drawn(node.textContent ?? "")];
    if (!(node instanceof Element) || node.matches("time, svg, style")) return [];
    const classes = [...node.classList].toSorted().map((name) => `.${name}`);
    const attributes = MEANT.filter((name) => node.hasAttribute(name)).map(
      (name) => `[${name}=${drawn(node.getAttribute(name) ?? "")}]`,
    );
    const head = `${" ".repeat(depth)}<${node.localName}${classes.join("")}${attributes.join("")}>`;
    return [head, ...[...node.childNodes].flatMap((child) => lines(child, depth + 1))];
  };
  return [...list.querySelectorAll("elwood-message-item")].flatMap((item) => lines(item, 0));
}
