import type { Page } from "playwright-core";

/** Every reply of the conversation that stands on the page, as lines. */
export async function readReplies(page: Page): Promise<string[][]> {
  return page.locator("article.elwood").evaluateAll(linesOfReplies);
}

/** Runs in the page: what a person reads there, with each mark in brackets that no text holds. */
function linesOfReplies(articles: Element[]): string[][] {
  const BLOCKS = "P LI PRE TR H1 H2 H3 H4 H5 H6 BLOCKQUOTE UL OL TABLE DIV".split(" ");
  const markOf = (element: Element): string | undefined => {
    if (element.classList.contains("tick")) return "⟦✓⟧";
    if (element.classList.contains("cited")) return `⟦${element.textContent}⟧`;
    if (!element.classList.contains("not-verified")) return undefined;
    const why = /: (.*)\.$/u.exec(element.getAttribute("title") ?? "")?.[1];
    return `⟦not verified${why === undefined ? "" : `: ${why}`}⟧`;
  };
  const textOf = (node: Node): string => {
    if (node.nodeType === Node.TEXT_NODE) return node.textContent ?? "";
    if (!(node instanceof Element) || node.matches("button, .code-head")) return "";
    const mark = markOf(node);
    if (mark !== undefined) return mark;
    const inside = [...node.childNodes].map(textOf).join("");
    if (node.tagName === "BR") return "\n";
    if (node.tagName === "TD" || node.tagName === "TH") return `${inside.trim()} | `;
    if (node instanceof HTMLInputElement) return node.checked ? "[x] " : "[ ] ";
    if (node.tagName === "LI") return `\n- ${inside.trim()}\n`;
    return BLOCKS.includes(node.tagName) ? `\n${inside}\n` : inside;
  };
  const lines = (text: string) =>
    text
      .split("\n")
      .map((line) => line.trimEnd())
      .filter((line) => line.trim() !== "");
  const says = (element: Element): string[] => {
    if (element.matches(".own-words")) return lines(`◈ ${element.textContent?.trim() ?? ""}`);
    if (element.matches(".line")) return lines(`Gateway: ${element.lastChild?.textContent?.trim() ?? ""}`);
    // What memory brings along depends on the exchanges that were played before on the same gateway.
    if (element.matches(".evidence-line"))
      return element.textContent === "Looked in memory"
        ? []
        : lines(`Evidence: ${element.textContent ?? ""}`);
    return lines(textOf(element));
  };
  return articles.map((article) =>
    [...article.querySelectorAll("elwood-markdown.text, .own-words, .line, .evidence-line")].flatMap(says),
  );
}
