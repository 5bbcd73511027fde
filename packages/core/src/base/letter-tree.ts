const ROOM_MIN = 1_024;
const NODES_MAX = 0xffff;

/** Texts by their letters: one step for each letter, whatever the number of texts. The root is 0. */
export class LetterTree {
  /** Which letter leads from which node to which; open addressing, at most half full. 0 where nothing is kept: no step leads to the root. */
  #steps = new Uint32Array(ROOM_MIN);
  #nodes = new Uint16Array(ROOM_MIN);
  #count = 0;

  /** How many nodes there are beside the root; they are numbered from 1 on. */
  get size(): number {
    return this.#count;
  }

  /** The node that a letter leads to; 0 where there is none. */
  step(node: number, letter: number): number {
    const mask = this.#nodes.length - 1;
    const step = ((node << 16) | letter) >>> 0;
    let at = placeOf(step) & mask;
    for (;;) {
      const to = this.#nodes[at]!;
      if (to === 0 || this.#steps[at] === step) return to;
      at = (at + 1) & mask;
    }
  }

  /** The node at which a text ends, made where there is none. */
  add(text: string): number {
    let node = 0;
    for (let at = 0; at < text.length; at += 1) {
      const letter = text.charCodeAt(at);
      const known = this.step(node, letter);
      node = known === 0 ? this.#grown(node, letter) : known;
    }
    return node;
  }

  #grown(node: number, letter: number): number {
    if (this.#count === NODES_MAX) throw new Error("There are too many words for one tree of letters.");
    if (this.#count * 2 >= this.#nodes.length) this.#enlarge();
    this.#count += 1;
    this.#keep(((node << 16) | letter) >>> 0, this.#count);
    return this.#count;
  }

  #keep(step: number, to: number): void {
    const mask = this.#nodes.length - 1;
    let at = placeOf(step) & mask;
    while (this.#nodes[at] !== 0) at = (at + 1) & mask;
    this.#steps[at] = step;
    this.#nodes[at] = to;
  }

  #enlarge(): void {
    const steps = this.#steps;
    const nodes = this.#nodes;
    this.#steps = new Uint32Array(steps.length * 2);
    this.#nodes = new Uint16Array(nodes.length * 2);
    for (const [at, to] of nodes.entries()) if (to !== 0) this.#keep(steps[at]!, to);
  }
}

function placeOf(step: number): number {
  const value = Math.imul(step, 0x9e3779b1);
  return (value ^ (value >>> 15)) >>> 0;
}
