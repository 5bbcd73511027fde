import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LetterTree } from "./letter-tree.ts";

function nodeOf(tree: LetterTree, text: string): number {
  let node = 0;
  for (let at = 0; at < text.length; at += 1) {
    node = tree.step(node, text.charCodeAt(at));
    if (node === 0) return 0;
  }
  return node;
}

test("each text ends at a node of its own, and texts that were not added lead nowhere", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 400 }), (texts) => {
      const tree = new LetterTree();
      const nodes = texts.map((text) => tree.add(text));
      expect(new Set(nodes).size).toBe(texts.length);
      expect(texts.map((text) => nodeOf(tree, text))).toEqual(nodes);
      expect(texts.map((text) => tree.add(text))).toEqual(nodes);
      expect(Math.max(0, ...nodes)).toBeLessThanOrEqual(tree.size);
      for (const text of texts) expect(nodeOf(tree, `${text}\u{ffff}`)).toBe(0);
    }),
  );
});
