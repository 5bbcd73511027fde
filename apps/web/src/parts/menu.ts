/**
 * A menu beside the button that opens it: arrow keys walk its buttons and links, Escape and a
 * press elsewhere close it. Whoever asks for it fills it, and calls `place` when it grew.
 */
export interface Menu {
  readonly element: HTMLElement;
  /** Shows it, as near to its button as there is room. */
  place(): void;
  close(): void;
}

export function makeMenu(button: HTMLElement, role: "menu" | "dialog", label: string): Menu {
  const element = document.createElement("div");
  element.className = "menu";
  element.popover = "auto";
  element.setAttribute("role", role);
  element.setAttribute("aria-label", label);
  element.addEventListener("keydown", walk);
  element.addEventListener("toggle", (event) => {
    if (event.newState === "closed") element.remove();
  });
  document.body.append(element);
  return {
    element,
    place() {
      element.showPopover();
      const { bottom, top, left, right } = button.getBoundingClientRect();
      const set = (name: string, px: number) => element.style.setProperty(name, `${px}px`);
      const below = innerHeight - bottom > top;
      if (below) set("top", bottom + 4);
      else set("bottom", innerHeight - top + 4);
      set("max-height", (below ? innerHeight - bottom : top) - 12);
      const start = left < innerWidth / 2 ? left : right - element.offsetWidth;
      set("left", Math.max(8, Math.min(start, innerWidth - element.offsetWidth - 8)));
    },
    close() {
      element.hidePopover();
      button.focus();
    },
  };
}

function walk(event: KeyboardEvent): void {
  const menu = event.currentTarget;
  if (!(menu instanceof HTMLElement)) return;
  // It closes the menu, and means nothing else meanwhile.
  if (event.key === "Escape") event.stopPropagation();
  if (event.key === "Tab" && menu.role === "menu") menu.hidePopover();
  const items = [...menu.querySelectorAll<HTMLElement>("button, a")];
  const at = items.findIndex((item) => item === document.activeElement);
  const inText = document.activeElement instanceof HTMLInputElement;
  const to: Readonly<Record<string, number>> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (Math.max(at, 0) - 1 + items.length) % items.length,
    ...(inText ? {} : { Home: 0, End: items.length - 1 }),
  };
  const wanted = to[event.key];
  if (wanted === undefined) return;
  event.preventDefault();
  items[wanted]?.focus();
}
