/**
 * Runs inside the engine, from its own source text, once its URL classes are there. They
 * lack two things that programs count on: parameters made from an object or a list, and
 * `searchParams` of a URL. Both are added; `searchParams` writes back to its URL.
 */
export function completeUrls(): void {
  const Plain = URLSearchParams;
  const { defineProperty, entries } = Object;
  const text: (value: unknown) => string = String;

  class Params extends Plain {
    constructor(from: unknown = "") {
      const listed = typeof from === "object" && from !== null;
      super(listed ? "" : text(from));
      if (!listed) return;
      const pairs = Symbol.iterator in from ? (from as Iterable<[unknown, unknown]>) : entries(from);
      for (const [name, value] of pairs) this.append(text(name), text(value));
    }
  }
  defineProperty(Params, "name", { value: "URLSearchParams" });
  defineProperty(globalThis, "URLSearchParams", { value: Params, writable: true, configurable: true });

  const made = new WeakMap<URL, { search: string; params: URLSearchParams }>();

  function paramsOf(url: URL): URLSearchParams {
    const known = made.get(url);
    if (known !== undefined && known.search === url.search) return known.params;
    const params = new Params(url.search);
    const entry = { search: url.search, params };
    for (const name of ["append", "delete", "set", "sort"] as const) {
      const change = params[name].bind(params) as (...values: unknown[]) => void;
      const value = (...values: unknown[]) => {
        change(...values);
        url.search = params.toString();
        entry.search = url.search;
      };
      defineProperty(params, name, { value });
    }
    made.set(url, entry);
    return params;
  }

  defineProperty(URL.prototype, "searchParams", {
    configurable: true,
    enumerable: true,
    get(this: URL) {
      return paramsOf(this);
    },
  });
}
