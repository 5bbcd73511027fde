import { MarkdownBlocks, type MarkdownBlock } from "./blocks.ts";
import { renderBlock } from "./render-block.ts";
import { spokenText } from "./spoken-text.ts";
import "./markdown.css";

export interface MarkdownSource {
  readonly text: string;
  /** More text follows. */
  readonly streaming: boolean;
}

/**
 * Shows Markdown that may still be growing. Blocks that are settled are drawn once and left
 * alone; only what the last lines can still change is drawn anew.
 */
export class Markdown extends HTMLElement {
  readonly #blocks = new MarkdownBlocks();
  #drawn: { readonly block: MarkdownBlock; readonly element: HTMLElement }[] = [];
  #source: MarkdownSource = { text: "", streaming: false };

  get source(): MarkdownSource {
    return this.#source;
  }

  set source(source: MarkdownSource) {
    if (source.text === this.#source.text && source.streaming === this.#source.streaming) return;
    this.#source = source;
    this.#draw(this.#blocks.update(spokenText(source.text), source.streaming));
  }

  #draw(blocks: readonly MarkdownBlock[]): void {
    for (const [i, block] of blocks.entries()) {
      const drawn = this.#drawn[i];
      if (drawn && (drawn.block === block || isSame(drawn.block, block))) {
        this.#drawn[i] = { block, element: drawn.element };
        continue;
      }
      const element = document.createElement("div");
      element.className = "block";
      element.append(renderBlock(block));
      if (drawn) drawn.element.replaceWith(element);
      else this.append(element);
      this.#drawn[i] = { block, element };
    }
    for (const { element } of this.#drawn.splice(blocks.length)) element.remove();
  }
}

function isSame(a: MarkdownBlock, b: MarkdownBlock): boolean {
  return a.raw === b.raw && a.open === b.open && a.token.type === b.token.type;
}

customElements.define("elwood-markdown", Markdown);
