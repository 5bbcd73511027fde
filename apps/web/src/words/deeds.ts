import { deedOf } from "@elwood/core/tool/tool-words";
import { spoken } from "./language.ts";

/** In another language: what it is done to where no name is known, and the three ways to tell it. */
export type SpokenDeed = readonly [something: string, todo: string, doing: string, done: string];

const deeds = spoken("deeds", {});

/** What a call does, does now or did: “Wrote shopping.txt”. `about` is what is left to tell beside that. */
export function deedText(
  tool: string,
  time: "todo" | "doing" | "done",
  target: string,
): { readonly words: string; readonly about: string } {
  const deed = deeds[tool];
  if (deed) {
    const [something, todo, doing, done] = deed;
    const takesName = target !== "" && SOME_PLACE.test(deedOf(tool).todo);
    const sentence = { todo, doing, done }[time].replace("{0}", () => (takesName ? target : something));
    const words = sentence.charAt(0).toUpperCase() + sentence.slice(1);
    return { words, about: takesName ? "" : target };
  }
  const words = deedOf(tool)[time];
  if (target === "" || !SOME_PLACE.test(words)) return { words, about: target };
  return { words: words.replace(SOME_PLACE, () => target), about: "" };
}

const SOME_PLACE = /(?<= )a (?:file|folder|page)$/;
