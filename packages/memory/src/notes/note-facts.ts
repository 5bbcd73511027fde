import {
  aboutTheSame,
  bulletsIn,
  factIn,
  isActive,
  superseded,
  type Bullet,
  type Fact,
} from "@elwood/core/memory/facts";
import type { MemoryOrigin } from "@elwood/core/memory/turn";

/** A fact of another note about the same thing. */
export interface FactElsewhere {
  readonly source: string;
  readonly line: number;
  readonly text: string;
  readonly validFrom?: number;
}

/** A bullet of a note as it stands at a moment: what holds, and what is to be known beside it. */
export interface FactView {
  /** Another line than the one asked for, where that one has been replaced. */
  readonly line: number;
  readonly text: string;
  readonly holds: boolean;
  readonly remark?: string;
  /** What it is about; other notes may say something about the same. */
  readonly subject?: string;
}

const OTHERS_SHOWN_MAX = 3;

/**
 * What a line of a note says today. A fact that was replaced is answered by the one that holds
 * in its place, with the former and its last day beside it; where two hold at once, each
 * is shown with the other. Nothing that others wrote is put beside the owner's words.
 */
export function factAt(
  markdown: string,
  line: number,
  at: number,
  originOf: (text: string) => MemoryOrigin,
): FactView | undefined {
  return noteFacts(markdown, originOf)(line, at);
}

/** The same for several lines of one note. */
export function noteFacts(
  markdown: string,
  originOf: (text: string) => MemoryOrigin,
): (line: number, at: number) => FactView | undefined {
  return new NoteText(markdown).facts(originOf);
}

/** What a note says, which is the same for as long as its text is; each part of it is read once. */
export class NoteText {
  readonly #lines: readonly string[];
  readonly #bullets: readonly Bullet[];
  readonly #facts = new Map<number, Fact>();
  #all: readonly Fact[] | undefined;

  constructor(markdown: string) {
    this.#lines = markdown.split("\n");
    this.#bullets = bulletsIn(markdown);
  }

  /** By line and moment. Whose words a line is may change while its text does not, so that nothing of it is kept. */
  facts(originOf: (text: string) => MemoryOrigin): (line: number, at: number) => FactView | undefined {
    return (line, at) => {
      const read = this.#factAt(line);
      if (read === undefined) return undefined;
      // Nothing ends it but its own words, whoever else wrote what.
      if (read.subject === undefined) return viewOf(read, [read], at);
      const known = byTrust(this.#aboutTheSame(read.subject), this.#lines, originOf);
      const asked = known.find(({ fact }) => fact.line === line)!.fact;
      const isShown = (fact: Fact, origin: MemoryOrigin) => fact === asked || origin !== "untrusted";
      const shown = known.flatMap(({ fact, origin }) => (isShown(fact, origin) ? [fact] : []));
      return viewOf(asked, aboutTheSame(asked, shown), at);
    };
  }

  /** A note may be long, and most bullets are about nothing that others are about, too. */
  #aboutTheSame(subject: string): readonly Fact[] {
    this.#all ??= this.#bullets.map(factIn);
    return this.#all.filter((fact) => fact.subject === subject);
  }

  #factAt(line: number): Fact | undefined {
    const known = this.#facts.get(line);
    if (known) return known;
    const bullet = this.#bullets.find((each) => each.line === line);
    if (bullet === undefined) return undefined;
    const fact = factIn(bullet);
    this.#facts.set(line, fact);
    return fact;
  }
}

function viewOf(asked: Fact, same: readonly Fact[], at: number): FactView {
  const holding = same.filter((fact) => isActive(fact, at));
  const shown = isActive(asked, at) ? asked : (holding[0] ?? asked);
  const others = same.filter((fact) => fact !== shown).slice(0, OTHERS_SHOWN_MAX);
  const words = [spanOf(shown, at), ...others.map((fact) => besideOf(fact, at))].filter(
    (part) => part !== "",
  );
  return {
    line: shown.line,
    text: shown.text,
    holds: isActive(shown, at),
    ...(asked.subject === undefined ? {} : { subject: asked.subject }),
    ...(words.length === 0 ? {} : { remark: words.join("; ") }),
  };
}

/**
 * The facts of a note with whose words they are. What others wrote ends nothing that the owner or
 * the agent noted, whatever date it bears: it is read as if it stood in a note of its own.
 */
export function factsByTrust(
  markdown: string,
  originOf: (line: string) => MemoryOrigin,
): { readonly fact: Fact; readonly origin: MemoryOrigin }[] {
  return byTrust(bulletsIn(markdown).map(factIn), markdown.split("\n"), originOf);
}

function byTrust(
  facts: readonly Fact[],
  lines: readonly string[],
  originOf: (line: string) => MemoryOrigin,
): { readonly fact: Fact; readonly origin: MemoryOrigin }[] {
  const origins = new Map(facts.map(({ line }) => [line, originOf(lines[line - 1] ?? "")] as const));
  const isOthers = ({ line }: Fact) => origins.get(line) === "untrusted";
  return [...superseded(facts.filter((fact) => !isOthers(fact))), ...superseded(facts.filter(isOthers))]
    .map((fact) => ({ fact, origin: origins.get(fact.line)! }))
    .sort((a, b) => a.fact.line - b.fact.line);
}

/** The remark with what other notes say to the same; one that says the same adds nothing. */
export function withElsewhere(
  { text, remark }: FactView,
  elsewhere: readonly FactElsewhere[],
): string | undefined {
  const others = elsewhere
    .filter((other) => other.text !== text)
    .map(({ source, validFrom, text: words }) => {
      const since = validFrom === undefined ? "" : `, since ${dayOf(validFrom)}`;
      return `${source} says${since}: ${words}`;
    });
  const all = [...(remark === undefined ? [] : [remark]), ...others];
  return all.length === 0 ? undefined : all.join("; ");
}

function spanOf(fact: Fact, at: number): string {
  const { validFrom, validTo } = fact;
  const since = validFrom === undefined ? "" : `since ${dayOf(validFrom)}`;
  if (isActive(fact, at)) return since;
  if (fact.struck) return "crossed out";
  if (validFrom !== undefined && validFrom > at) return `from ${dayOf(validFrom)} on`;
  return [since, validTo === undefined ? "" : `no longer since ${dayOf(validTo)}`].filter(Boolean).join(", ");
}

function besideOf(fact: Fact, at: number): string {
  if (isActive(fact, at))
    return `also noted${fact.validFrom === undefined ? "" : ` ${spanOf(fact, at)}`}: ${fact.text}`;
  if (fact.struck) return `crossed out: ${fact.text}`;
  if (fact.validFrom !== undefined && fact.validFrom > at)
    return `from ${dayOf(fact.validFrom)} on: ${fact.text}`;
  return `before ${dayOf(fact.validTo ?? at)}: ${fact.text}`;
}

function dayOf(ts: number): string {
  return new Date(ts).toISOString().slice(0, 10);
}
