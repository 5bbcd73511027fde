interface Builder {
  buildForTest(entry: string): Promise<{ readonly path: string; remove(): void }>;
}

/** A module of a test that brings a gateway along, built as the product is: it starts three times as fast. */
export async function buildForTest(entry: string): ReturnType<Builder["buildForTest"]> {
  const builder = (await import(new URL("../../../apps/cli/build.mjs", import.meta.url).href)) as Builder;
  return builder.buildForTest(entry);
}
