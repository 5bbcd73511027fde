/**
 * Code that is loaded when it is first needed. `import()` goes through the loader each time, also for code that
 * is there; what every turn asks for is asked for once. A load that failed is tried again.
 */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  const begin = () => {
    const begun = load();
    begun.catch(() => {
      if (loading === begun) loading = undefined;
    });
    return begun;
  };
  return () => (loading ??= begin());
}
