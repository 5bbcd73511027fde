import { coloured } from "./colours.ts";

/** The code in colours; undefined where its language is not known here. */
export function highlighted(text: string, language: string): DocumentFragment | undefined {
  const pieces = coloured(text, language);
  if (!pieces) return undefined;
  const fragment = document.createDocumentFragment();
  for (const [scope, piece] of pieces) {
    if (scope === "") {
      fragment.append(piece);
      continue;
    }
    const span = document.createElement("span");
    span.className = `hljs-${scope}`;
    span.textContent = piece;
    fragment.append(span);
  }
  return fragment;
}
