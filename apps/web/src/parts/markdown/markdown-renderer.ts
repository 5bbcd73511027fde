import { MarkdownBlocks, type MarkdownBlock } from "./blocks.ts";
import { renderBlocks } from "./render-block.ts";
import { spokenText } from "./spoken-text.ts";
import "./markdown.css";

export interface MarkdownSource {
  readonly text: string;
  /** More text follows. */
  readonly streaming: boolean;
}

const BLOCKS_AT_ONCE = 12;

/**
 * Shows Markdown that may still be growing. Blocks that are settled are drawn once and left
 * alone; only what the last lines can still change is drawn anew.
 */
export class Markdown extends HTMLElement {
  readonly #blocks = new MarkdownBlocks();
  #drawn: { readonly block: MarkdownBlock; readonly element: HTMLElement }[] = [];
  #source: MarkdownSource = { text: "", streaming: false };
  #waiting = false;

  get source(): MarkdownSource {
    return this.#source;
  }

  set source(source: MarkdownSource) {
    if (source.text === this.#source.text && source.streaming === this.#source.streaming) return;
    this.#source = source;
    this.#draw(this.#blocks.update(spokenText(source.text), source.streaming));
  }

  #draw(blocks: readonly MarkdownBlock[]): void {
    const isDrawn = (block: MarkdownBlock, i: number) => {
      const drawn = this.#drawn[i];
      return drawn !== undefined && (drawn.block === block || isSame(drawn.block, block));
    };
    let from = 0;
    while (from < blocks.length && isDrawn(blocks[from]!, from)) from++;
    const grows = this.#source.streaming || this.#drawn.length > 0;
    const fresh = blocks.slice(from, grows ? from + BLOCKS_AT_ONCE : undefined);
    const elements = fresh.length === 0 ? [] : renderBlocks(fresh);
    const old = this.#drawn.splice(from);
    for (const { element } of old) element.remove();
    this.append(...elements);
    for (const [i, block] of fresh.entries()) {
      const element = elements[i];
      if (element) this.#drawn.push({ block, element });
    }
    if (from + fresh.length < blocks.length) this.#goOn();
  }

  /** A torrent of text is drawn over several frames, so that the page can be used meanwhile. */
  #goOn(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    const draw = () => {
      this.#waiting = false;
      this.#draw(this.#blocks.update(spokenText(this.#source.text), this.#source.streaming));
    };
    // Nothing is painted in a tab that nobody sees; it still keeps up.
    if (document.hidden) setTimeout(draw);
    else requestAnimationFrame(draw);
  }
}

function isSame(a: MarkdownBlock, b: MarkdownBlock): boolean {
  return a.raw === b.raw && a.open === b.open && a.token.type === b.token.type;
}

customElements.define("elwood-markdown", Markdown);
