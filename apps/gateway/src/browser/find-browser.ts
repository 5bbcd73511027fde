import { access, constants, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/** Browsers of Chromium's kind, as systems name them. */
export const BROWSER_NAMES = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "microsoft-edge",
  "brave-browser",
] as const;

const APPLICATIONS = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

export type FoundBrowser =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly message: string };

/** The browser that the tools drive: the one the owner named, or one that this system has. None is ever fetched. */
export async function findBrowser(
  named: string | undefined,
  searchPath: string | undefined,
): Promise<FoundBrowser> {
  if (named !== undefined) {
    if (await isProgram(named)) return { ok: true, path: named };
    return {
      ok: false,
      message: `browser.executable names ${named}, which is no program that can be run. Mend the setting, or remove it to use the system's browser.`,
    };
  }
  const folders = (searchPath ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const paths = BROWSER_NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  for (const path of [...paths, ...APPLICATIONS]) if (await isProgram(path)) return { ok: true, path };
  return {
    ok: false,
    message: `There is no browser on this machine that Elwood can drive. ${HOW_TO_GET_ONE}`,
  };
}

export const HOW_TO_GET_ONE =
  "Install Chromium (on Debian and Ubuntu: apt install chromium), or name one with browser.executable in the configuration. Elwood fetches none itself.";

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false; // not there, or not ours to run
  }
}
