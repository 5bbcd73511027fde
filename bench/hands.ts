import type { BenchReport, BenchRow } from "./main.ts";

/** One kind of hand, measured for itself; each in a file of its own. */
export interface HandsPart {
  readonly name: string;
  readonly rows: readonly BenchRow[];
  readonly figures: Readonly<Record<string, number>>;
}

const PARTS: Readonly<Record<string, () => Promise<{ measure: () => Promise<HandsPart> }>>> = {
  commands: () => import("./hands-commands.ts"),
  page: () => import("./hands-page.ts"),
  browser: () => import("./hands-browser.ts"),
};

/** What the hands cost: `npm run bench -- hands [part …]`, all parts where none is named. */
export async function bench(args: readonly string[]): Promise<BenchReport> {
  const wanted = Object.keys(PARTS).filter((name) => args.length === 0 || args.includes(name));
  const parts: HandsPart[] = [];
  for (const name of wanted) parts.push(await (await PARTS[name]!()).measure());
  return {
    name: "hands",
    ...Object.fromEntries(parts.map(({ name, figures }) => [name, figures])),
    rows: parts.flatMap(({ rows }) => rows),
  };
}
