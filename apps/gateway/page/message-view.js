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
  if (message.origin === "gateway") return gatewayLine(message.content, message.meta?.error ? "bad" : "info");
  const parts = message.blocks.map(blockView).filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  const author = message.role === "user" ? "You" : message.role === "tool" ? "Tool" : "Elwood";
  const article = articleView(author, parts, message.ts);
  if (message.meta?.error || message.meta?.aborted) article.classList.add("cut-short");
  if (message.role === "assistant" && message.meta?.model) article.append(factsLine([message.meta.model]));
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
      const text = textView(block.text);
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
