import { Store } from "@elwood/sdk/store";
import { MOVED, type PageDef } from "./pages.ts";

export interface Route {
  readonly page: PageDef;
  /** The parts of the path that the page's pattern names. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly path: string;
}

/**
 * Which page is shown, by the address. Links inside the page are followed without a load;
 * links elsewhere, new tabs and downloads are the browser's.
 */
export class Router {
  readonly route: Store<Route>;
  readonly #pages: readonly PageDef[];
  readonly #otherwise: PageDef;

  /** `otherwise` is shown at every address that no page has. */
  constructor(pages: readonly PageDef[], otherwise: PageDef) {
    this.#pages = pages;
    this.#otherwise = otherwise;
    this.route = new Store(this.#find());
  }

  start(signal: AbortSignal): void {
    addEventListener("popstate", () => this.route.set(this.#find()), { signal });
    document.addEventListener("click", (event) => this.#clicked(event), { signal });
  }

  go(path: string, how: { replace?: boolean } = {}): void {
    if (path === location.pathname + location.search) return;
    if (how.replace) history.replaceState(null, "", path);
    else history.pushState(null, "", path);
    this.route.set(this.#find());
  }

  #clicked(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.composedPath().find((each) => each instanceof HTMLAnchorElement);
    if (!link || link.target !== "" || link.hasAttribute("download") || link.origin !== location.origin)
      return;
    if (link.hash !== "" && link.pathname === location.pathname) return;
    if (!this.#pages.some((page) => page.paths.some((pattern) => match(pattern, link.pathname)))) return;
    event.preventDefault();
    this.go(link.pathname + link.search);
  }

  #find(): Route {
    const moved = Object.hasOwn(MOVED, location.pathname) ? MOVED[location.pathname] : undefined;
    if (moved !== undefined) history.replaceState(null, "", moved + location.search);
    const { pathname, search } = location;
    for (const page of this.#pages) {
      for (const pattern of page.paths) {
        const params = match(pattern, pathname);
        if (params) return { page, params, query: new URLSearchParams(search), path: pathname };
      }
    }
    return { page: this.#otherwise, params: {}, query: new URLSearchParams(search), path: pathname };
  }
}

/** `/runs/:run` against `/runs/run_1` gives `{ run: "run_1" }`. */
export function match(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const value = given[i] ?? "";
    if (part.startsWith(":") && value !== "") {
      try {
        params[part.slice(1)] = decodeURIComponent(value);
      } catch {
        return undefined; // a stray percent sign is no address of ours
      }
    } else if (part !== value) return undefined;
  }
  return params;
}
