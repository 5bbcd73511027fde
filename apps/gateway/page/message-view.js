/** @import { Block } from "@elwood/core/message" */
/** @import { WireMessage } from "@elwood/core/protocol/shapes" */
import { build, timeElement } from "./dom.js";

/**
 * A message as it stands in the transcript. What the gateway itself said never looks like
 * something that the model said.
 *
 * @param {WireMessage} message
 * @returns {HTMLElement | undefined} undefined where there is nothing to show
 */
export function messageView(message) {
  if (message.origin === "gateway") {
    const line = gatewayLine(message.content, message.meta?.error ? "bad" : "info");
    if (!message.meta?.evidence) return line;
    return build("div", { "data-from": "gateway" }, [line, evidenceLine(message.meta.evidence)]);
  }
  const parts = message.blocks.map(blockView).filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  const author = message.role === "user" ? "You" : message.role === "tool" ? "Tool" : "Elwood";
  const article = articleView(author, parts, message.ts);
  if (message.meta?.error || message.meta?.aborted) article.classList.add("cut-short");
  if (message.blocks.some((block) => block.type === "tool_use")) article.classList.add("on-the-way");
  const facts = message.role === "assistant" && message.meta?.model ? [message.meta.model] : [];
  if (message.meta?.evidence) article.append(evidenceLine(message.meta.evidence, facts));
  else if (facts.length > 0) article.append(factsLine(facts));
  return article;
}

/**
 * @param {"You" | "Elwood" | "Tool"} author
 * @param {readonly HTMLElement[]} parts
 * @param {number} [at]
 */
export function articleView(author, parts, at) {
  const head = build("p", { class: "message-head" }, [build("span", { class: "author" }, [author])]);
  if (at !== undefined) head.append(timeElement(at));
  return build("article", { class: `message ${author.toLowerCase()}`, "data-author": author }, [
    head,
    ...parts,
  ]);
}

/** @param {string} text */
export function textView(text) {
  return build("div", { class: "text" }, [document.createTextNode(text)]);
}

/**
 * A reply: what Elwood itself says in it, and the marks on what its receipts bear out, are
 * set apart. Both are known by glyphs that no model's text can hold.
 *
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export function replyParts(text) {
  return text.split(OWN_OR_MARK).map((part) => {
    if (part.startsWith("◈ ")) return build("span", { class: "own-words", "data-from": "gateway" }, [part]);
    if (part.startsWith("[✓ "))
      return build("span", { class: "verified", title: "Every call named here succeeded." }, [part]);
    return document.createTextNode(part);
  });
}

const OWN_OR_MARK = /((?<=^|\n)◈ [^\n]*|\[✓ c\d+(?: c\d+)*\])/u;

/**
 * A sentence of the gateway's own.
 *
 * @param {string} text
 * @param {"info" | "warn" | "bad"} tone
 */
export function gatewayLine(text, tone) {
  return build("p", { class: `line ${tone}`, "data-from": "gateway" }, [
    build("span", { class: "line-from" }, ["Gateway"]),
    text,
  ]);
}

/**
 * What was done for a reply, and what it took, from the gateway's record.
 *
 * @param {string} text
 * @param {readonly string[]} [facts]
 */
export function evidenceLine(text, facts = []) {
  const sentence = build("span", {}, [build("span", { class: "line-from" }, ["Evidence"]), text]);
  const more = facts.length === 0 ? [] : [build("span", { class: "evidence-facts" }, [facts.join(" · ")])];
  return build("p", { class: "evidence", "data-from": "gateway" }, [sentence, ...more]);
}

/** @param {readonly string[]} facts */
export function factsLine(facts) {
  return build("p", { class: "message-facts" }, [facts.join(" · ")]);
}

/**
 * @param {Block} block
 * @returns {HTMLElement | undefined}
 */
function blockView(block) {
  switch (block.type) {
    case "text": {
      if (block.text.trim() === "") return undefined;
      const text = build("div", { class: "text" }, replyParts(block.text));
      if (block.origin === "gateway") return text;
      // Only the owner's own words and the model's stand bare; whatever else came along says what it is.
      const label = block.origin === undefined ? undefined : ORIGIN_LABELS[block.origin];
      return label === undefined
        ? text
        : build("div", { class: "quoted" }, [build("p", { class: "hint" }, [label]), text]);
    }
    case "thinking":
      return undefined;
    case "tool_use":
      return build("p", { class: "hint" }, [`Called ${block.toolId}`]);
    case "tool_result":
      return build("details", {}, [
        build("summary", {}, [block.status === "ok" ? "Result" : "Failed"]),
        textView(block.text),
      ]);
    case "image":
    case "file":
      return build("p", { class: "hint" }, [`Attached: ${block.name ?? "a picture"} (${block.mime})`]);
    case "compaction":
      return build("details", {}, [
        build("summary", {}, ["Earlier messages, summarised"]),
        textView(block.summary),
      ]);
    default: {
      // A newer gateway may know more kinds than this page.
      return build("p", { class: "hint" }, ["Something this page cannot show yet."]);
    }
  }
}

/** @type {Readonly<Partial<Record<string, string>>>} */
const ORIGIN_LABELS = {
  piped: "From standard input",
  attached: "From an attached file",
  quoted: "Quoted",
  forwarded: "Forwarded",
  recalled: "From memory",
};
