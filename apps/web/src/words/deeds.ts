import type { SpokenDeed } from "@elwood/core/tool/german-deeds";
import { deedOf } from "@elwood/core/tool/tool-words";
import { spoken } from "./language.ts";

const deeds: Readonly<Record<string, SpokenDeed>> = spoken("deeds", {});

/** What a call does, does now or did: “Wrote shopping.txt”. `about` is what is left to tell beside that. */
export function deedText(
  tool: string,
  time: "todo" | "doing" | "done",
  target: string,
): { readonly words: string; readonly about: string } {
  const deed = deeds[tool];
  // The folder that everything begins in has no name.
  if (target === ".") return deedText(tool, time, "");
  if (deed) return spokenDeed(deed, tool, time, target);
  const words = deedOf(tool)[time];
  if (target === "" || !SOME_PLACE.test(words)) return { words, about: target };
  return { words: words.replace(SOME_PLACE, () => target), about: "" };
}

export function spokenDeed(
  [something, todo, doing, done]: SpokenDeed,
  tool: string,
  time: "todo" | "doing" | "done",
  target: string,
): { readonly words: string; readonly about: string } {
  const sentence = { todo, doing, done }[time];
  const takesName = target !== "" && SOME_PLACE.test(deedOf(tool).todo);
  const words = sentence.replace("{0}", () => (takesName ? target : something));
  // A name is written as it is, also where a sentence begins with it.
  if (takesName && sentence.startsWith("{0}")) return { words, about: "" };
  return { words: words.charAt(0).toUpperCase() + words.slice(1), about: takesName ? "" : target };
}

const SOME_PLACE = /(?<= )a (?:file|folder|page)$/;
