/**
 * Runs inside the engine, from its own source text, once its URL class is there: that class
 * has no `searchParams`. Here a URL gets one that writes back to it.
 */
export function addSearchParams(): void {
  const { defineProperty } = Object;
  const made = new WeakMap<URL, { search: string; params: URLSearchParams }>();

  function paramsOf(url: URL): URLSearchParams {
    const known = made.get(url);
    if (known !== undefined && known.search === url.search) return known.params;
    const params = new URLSearchParams(url.search);
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
