import { attribute, markupTokens } from "./markup.ts";
import type { Zip } from "./zip.ts";

/** What a part of a document refers to, by the ids that it uses. Only parts of the same file; addresses elsewhere are left out. */
export function relationsOf(zip: Zip, part: string): ReadonlyMap<string, string> {
  const slash = part.lastIndexOf("/");
  const xml = zip.text(`${part.slice(0, slash)}/_rels/${part.slice(slash + 1)}.rels`) ?? "";
  const targets = new Map<string, string>();
  for (const token of markupTokens(xml, "xml")) {
    if (token.kind !== "open" || !/(?:^|:)Relationship$/.test(token.name)) continue;
    const [id, target] = [attribute(token.attributes, "Id"), attribute(token.attributes, "Target")];
    if (id === undefined || target === undefined) continue;
    if (attribute(token.attributes, "TargetMode") === "External") continue;
    targets.set(id, target);
  }
  return targets;
}

/** A name in an archive, as another part writes it. */
export function resolved(from: string, target: string): string {
  const names = target.startsWith("/") ? [] : from.split("/").slice(0, -1);
  for (const name of target.split("#")[0]!.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "." && name !== "") names.push(name);
  }
  return names.join("/");
}
