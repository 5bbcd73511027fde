import { noChange } from "lit";
import { Directive, directive, type ElementPart, PartType } from "lit/directive.js";

/**
 * Custom properties of one element: `<span ${vars({ "--from": "10%" })}>`. Through the
 * object model, since the content security policy refuses `style` attributes, which
 * `styleMap` writes at first.
 */
class Vars extends Directive {
  override update(part: ElementPart, [values]: [Readonly<Record<string, string>>]): typeof noChange {
    if (part.type === PartType.ELEMENT && part.element instanceof HTMLElement)
      for (const [name, value] of Object.entries(values)) part.element.style.setProperty(name, value);
    return noChange;
  }

  override render(_values: Readonly<Record<string, string>>): typeof noChange {
    return noChange;
  }
}

export const vars = directive(Vars);
