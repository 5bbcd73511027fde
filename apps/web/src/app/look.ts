/** How the page looks in this browser, beside its theme. The first of each is how it comes. */
export const LOOKS = {
  text: ["normal", "small", "large", "larger"],
  density: ["comfortable", "compact"],
} as const;

export type LookName = keyof typeof LOOKS;
export type Look = (typeof LOOKS)[LookName][number];

export function chosenLook(name: LookName): Look {
  const choices: readonly Look[] = LOOKS[name];
  return choices.find((choice) => choice === document.documentElement.dataset[name]) ?? LOOKS[name][0];
}

/** Kept for this browser; `theme.js` reads it before the first paint. */
export function chooseLook(name: LookName, look: string): void {
  const isUsual = look === LOOKS[name][0];
  if (isUsual) delete document.documentElement.dataset[name];
  else document.documentElement.dataset[name] = look;
  try {
    if (isUsual) localStorage.removeItem(`elwood.${name}`);
    else localStorage.setItem(`elwood.${name}`, look);
  } catch {
    return; // storage is forbidden here: it holds until the page is left
  }
}
