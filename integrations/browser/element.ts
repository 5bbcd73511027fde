import { ToolError } from "@elwood/sdk/tool";
import type { Frame, Locator } from "playwright-core";
import { within, type BrowserKit } from "./kit.ts";
import type { BrowserLimits } from "./limits.ts";
import { findTarget, nodeInWords, pageNodes } from "./page-tree.ts";
import { secretField } from "./secret-field.ts";
import type { Tab } from "./session.ts";
import { inWords, quoted } from "./words.ts";

/** An element of a page, looked at closely enough to say what would happen to what. */
export interface SeenElement {
  readonly tab: Tab;
  readonly locator: Locator;
  readonly words: string;
  /** Where it is and what it is, line by line. Whoever approved one of these has approved no other. */
  readonly identity: string;
  /** Completes "it is …", where the field is one for secrets. */
  readonly secret: string | undefined;
  /** It offers choices. */
  readonly isList: boolean;
  /** It takes a file from this machine. */
  readonly takesFile: boolean;
}

export function lookAt(
  kit: BrowserKit,
  tab: Tab,
  target: string,
  signal?: AbortSignal,
): Promise<SeenElement> {
  return within(kit, 2 * kit.limits.lookMs, look(tab, target, kit.limits, signal));
}

async function look(
  tab: Tab,
  target: string,
  limits: BrowserLimits,
  signal: AbortSignal | undefined,
): Promise<SeenElement> {
  const node = findTarget(await pageNodes(tab.page, limits, signal), target, limits);
  const locator = tab.page.getByRef(node.ref);
  const attribute = async (name: string, of: Locator = locator) =>
    (await of.getAttribute(name, { timeout: limits.lookMs })) ?? "";
  try {
    const [type, autocomplete, name, id, placeholder, ownAction, ownMethod] = await Promise.all(
      ["type", "autocomplete", "name", "id", "placeholder", "formaction", "formmethod"].map((each) =>
        attribute(each),
      ),
    );
    const isList = (await locator.locator("xpath=self::select").count()) === 1;
    const handle = await locator.elementHandle({ timeout: limits.lookMs });
    const frame = (await handle?.ownerFrame()) ?? tab.page.mainFrame();
    const link = locator.locator("xpath=ancestor-or-self::*[@href][1]");
    const href = (await link.count()) === 1 ? await attribute("href", link) : "";
    const set = frame.locator("base[href]").first();
    const base =
      (await set.count()) === 1 ? resolved(await attribute("href", set), frame.url()) : frame.url();
    const form = formOf(locator, frame, await attribute("form"));
    const [action, method] =
      (await form.count()) === 1
        ? await Promise.all([attribute("action", form), attribute("method", form)])
        : [];
    const secret = secretField({ type, autocomplete, hints: [name, id, placeholder, node.name] });
    const words = nodeInWords(node, limits);
    const lines = [
      `Page: ${tab.id} ${inWords(tab.page.url(), limits.urlCharsMax)}`,
      ...(frame === tab.page.mainFrame() ? [] : [`Frame: ${inWords(frame.url(), limits.urlCharsMax)}`]),
      `Element: ${node.ref} ${words}`,
      ...(href ? [`Leads to: ${inWords(resolved(href, base), limits.urlCharsMax)}`] : []),
      ...(action === undefined
        ? []
        : [
            `Form: ${inWords((ownMethod || method || "get").toUpperCase(), 10)} ${inWords(
              ownAction || action ? resolved(ownAction || action, base) : frame.url(),
              limits.urlCharsMax,
            )}`,
          ]),
      ...(secret === undefined ? [] : [`Field: ${secret}`]),
    ];
    return {
      tab,
      locator,
      words,
      identity: lines.join("\n"),
      secret,
      isList,
      takesFile: /^file$/i.test(type ?? ""),
    };
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw new ToolError(
      "not_found",
      `${quoted(target, limits.nameCharsMax)} went from the page while it was looked at. Nothing was done. Read the page again.`,
      { retryable: true },
    );
  }
}

/** A field or button may belong to a form that it does not stand in. */
function formOf(locator: Locator, frame: Frame, named: string): Locator {
  return named === ""
    ? locator.locator("xpath=ancestor::form[1]")
    : frame
        .locator("form")
        .and(frame.locator(`[id=${JSON.stringify(named)}]`))
        .first();
}

function resolved(address: string, base: string): string {
  return URL.canParse(address, base) ? new URL(address, base).href : address;
}
