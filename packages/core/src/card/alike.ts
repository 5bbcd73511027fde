import type { Card } from "./card.ts";

/** Calls that are asked about together, on every surface. */

export interface Askable {
  readonly kind: "approval" | "question" | "settle";
  readonly runId: string;
  readonly plan?: unknown;
  readonly confirm?: string | undefined;
  readonly showable: boolean;
  readonly card: Card;
}

/** Whether calls of this kind may be decided together: all of it can be shown, and none of it destroys anything. */
export function isJoinable({ kind, plan, confirm, showable, card }: Askable): boolean {
  return (
    kind === "approval" &&
    card.group !== undefined &&
    plan === undefined &&
    confirm === undefined &&
    showable &&
    !card.destructive
  );
}

/** Whether both wait for the same run and do the same kind of thing. */
export function areAlike(a: Askable, b: Askable): boolean {
  const [one, other] = [a.card.group, b.card.group];
  return (
    isJoinable(a) &&
    isJoinable(b) &&
    a.runId === b.runId &&
    one?.verb === other?.verb &&
    one?.many === other?.many
  );
}

/** Why several of a kind ask, in one sentence; undefined where they have different reasons. */
export function groupWhy(cards: readonly Pick<Card, "why" | "group">[]): string | undefined {
  const [first] = cards;
  if (first === undefined) return undefined;
  if (cards.length === 1) return first.why;
  const { one = "call", many = "calls" } = first.group ?? {};
  // The same reason, each time about another value.
  const [general, ...others] = cards.map(({ why }) =>
    why
      .replace(/(?<=didn't name )“[^”]*”/u, `these ${many}`)
      .replace(`this ${one}`, `these ${many}`)
      .replace("; it came from", "; they came from"),
  );
  return others.every((other) => other === general) ? general : undefined;
}

/** "Write 3 files" */
export function groupTitle(group: Card["group"], count: number): string {
  const { verb, one, many } = group ?? { verb: "Allow", one: "call", many: "calls" };
  return `${verb} ${count} ${count === 1 ? one : many}`;
}
