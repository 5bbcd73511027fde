import type { UnavailableTools } from "../tools/unavailable-tools.ts";
import { findBrowser, HOW_TO_GET_ONE } from "./find-browser.ts";

/** What decides whether the browser tools can work. */
export interface BrowserCondition {
  readonly executable?: string | undefined;
  readonly sandbox: boolean;
  readonly root: boolean;
  /** Where programs are looked for, as in PATH. */
  readonly searchPath: string | undefined;
  /** Whether that which drives a browser is installed. */
  readonly hasDriver: () => boolean;
}

/** Why the browser tools are unavailable; undefined if they are available. */
export async function browserUnavailable(condition: BrowserCondition): Promise<UnavailableTools | undefined> {
  const { executable, sandbox, root, searchPath, hasDriver } = condition;
  if (root && sandbox) return { tools: TOOLS, what: OFF_AS_ROOT, fix: NOT_AS_ROOT };
  if (!hasDriver())
    return {
      tools: TOOLS,
      what: "Browser tools are off because what drives a browser is not installed.",
      fix: "Install it with: elwood install browser",
      stillOff: async () => !hasDriver(),
    };
  const found = await findBrowser(executable, searchPath);
  if (found.ok) return undefined;
  return {
    tools: TOOLS,
    ...(executable === undefined
      ? { what: OFF_WITHOUT_BROWSER, fix: HOW_TO_GET_ONE }
      : {
          what: `Browser tools are off because ${executable}, which browser.executable names, cannot be run.`,
          fix: "Correct the setting, or remove it to use the system's browser.",
        }),
    stillOff: async () => !(await findBrowser(executable, searchPath)).ok,
  };
}

const TOOLS = ["browser.*"];
const OFF_AS_ROOT = "Browser tools are off because Elwood runs as root.";
const NOT_AS_ROOT =
  "Run Elwood as another user: as root, Chromium has no sandbox for pages. Where the whole machine is a sandbox, such as a container of its own, set browser.sandbox: false.";
const OFF_WITHOUT_BROWSER = "Browser tools are off because there is no browser on this machine.";
