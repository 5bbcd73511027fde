import { ToolError } from "@elwood/sdk/tool";
import type { Page } from "playwright-core";
import { isTimeout } from "./kit.ts";
import type { BrowserLimits } from "./limits.ts";
import { inWords, quoted } from "./words.ts";

/** Something on a page that can be pointed at. */
export interface PageNode {
  /** Holds for this element as long as it keeps its role and its name. */
  readonly ref: string;
  readonly role: string;
  readonly name: string;
}

/**
 * What a page shows, by role and name, as screen readers have it. It is computed outside of
 * the page's own scripts, which therefore cannot bend it.
 */
export async function pageNodes(
  page: Page,
  limits: BrowserLimits,
  signal?: AbortSignal,
): Promise<PageNode[]> {
  const options = { mode: "ai", timeout: limits.lookMs, ...(signal && { signal }) } as const;
  const tree: unknown = await page.ariaSnapshotJSON(options).catch((error: unknown) => {
    if (!isTimeout(error)) throw error;
    throw new ToolError("no_answer", "The page does not answer. Nothing was done.", { retryable: true });
  });
  const nodes: PageNode[] = [];
  collect(tree, nodes, limits);
  return nodes;
}

/** The one thing that a target means: a ref, a role with a name, or a name. */
export function findTarget(nodes: readonly PageNode[], target: string, limits: BrowserLimits): PageNode {
  const wanted = target.trim();
  if (REF.test(wanted)) {
    const node = nodes.find(({ ref }) => ref === wanted);
    if (node) return node;
    throw new ToolError(
      "not_found",
      `${wanted} is not on the page, or is not what it was any more. Nothing was done. Read the page again with browser.page.read.`,
    );
  }
  const [, role, name = wanted] = /^([a-z]+)\s+"(.*)"$/i.exec(wanted) ?? [];
  const text = folded(name);
  const ofRole = nodes.filter((node) => role === undefined || node.role === role.toLowerCase());
  const usable = ofRole.filter((node) => role !== undefined || USABLE.has(node.role));
  const exact = (node: PageNode) => folded(node.name) === text;
  const holds = (node: PageNode) => role === undefined && text !== "" && folded(node.name).includes(text);
  const tries = [usable.filter(exact), ofRole.filter(exact), usable.filter(holds)];
  const found = tries.find((each) => each.length > 0) ?? [];
  const [only] = found;
  if (only && found.length === 1) return only;
  throw found.length > 1
    ? new ToolError(
        "ambiguous",
        `${quoted(wanted, limits.nameCharsMax)} could be ${found.length} things on the page. Nothing was done. Name one of them: ${listed(found, limits)}.`,
      )
    : new ToolError(
        "not_found",
        `Nothing on the page is called ${quoted(wanted, limits.nameCharsMax)}. Nothing was done. There are: ${listed(near(nodes, text), limits) || "no links, buttons or fields"}.`,
      );
}

export function nodeInWords({ role, name }: PageNode, limits: BrowserLimits): string {
  return name === "" ? role : `${role} ${quoted(name, limits.nameCharsMax)}`;
}

const REF = /^(f\d+)?e\d+$/;

const FIELDS = new Set(["textbox", "searchbox", "spinbutton", "combobox"]);

const USABLE = new Set([
  "button",
  "checkbox",
  "combobox",
  "link",
  "listbox",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "option",
  "radio",
  "searchbox",
  "slider",
  "spinbutton",
  "switch",
  "tab",
  "textbox",
  "treeitem",
]);

function listed(nodes: readonly PageNode[], limits: BrowserLimits): string {
  const shown = nodes
    .slice(0, limits.candidatesMax)
    .map((node) => `${node.ref} ${nodeInWords(node, limits)}`);
  const more = nodes.length > shown.length ? `, and ${nodes.length - shown.length} more` : "";
  return `${shown.join(", ")}${more}`;
}

/** Those that share a word with what was asked for come first. */
function near(nodes: readonly PageNode[], text: string): PageNode[] {
  const words = text.split(" ").filter((word) => word.length > 2);
  const likeness = (node: PageNode) => words.filter((word) => folded(node.name).includes(word)).length;
  return nodes.filter(({ role }) => USABLE.has(role)).sort((a, b) => likeness(b) - likeness(a));
}

function folded(text: string): string {
  return text.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim();
}

function collect(tree: unknown, into: PageNode[], limits: BrowserLimits): void {
  const left: unknown[] = [tree];
  while (left.length > 0 && into.length < limits.treeNodesMax) {
    const at = left.pop();
    if (Array.isArray(at)) left.push(...at.toReversed());
    if (!isRecord(at)) continue;
    const { ref, role, name, children } = at;
    if (typeof ref === "string" && typeof role === "string") {
      // What stands in a field is not its name, and may be a secret.
      const words = FIELDS.has(role) ? "" : textOf(children, limits);
      into.push({ ref, role, name: typeof name === "string" ? name : words });
    }
    if (Array.isArray(children)) left.push(...children.toReversed());
  }
}

/** A name is left out where the words inside say the same. */
function textOf(children: unknown, limits: BrowserLimits): string {
  const left: unknown[] = [children];
  let text = "";
  while (left.length > 0 && text.length <= limits.nameCharsMax) {
    const at = left.pop();
    if (typeof at === "string") text += ` ${at}`;
    else if (Array.isArray(at)) left.push(...at.toReversed());
    else if (isRecord(at)) {
      if (typeof at["name"] === "string") text += ` ${at["name"]}`;
      else if (Array.isArray(at["children"])) left.push(...at["children"].toReversed());
    }
  }
  return inWords(text, limits.nameCharsMax);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
