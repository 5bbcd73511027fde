import { showLine } from "@elwood/core/base/show";
import type { Span } from "@elwood/core/protocol/call-shapes";
import { deedText } from "../../words/deeds.ts";
import { fill } from "../../words/fill.ts";
import { gatewayText } from "../../words/gateway.ts";
import { say } from "../../words/en/runs.ts";

const CALL = /^(?:undo of )?([a-z0-9_-]+(?:\.[a-z0-9_-]+)+)(?: → (.*))?$/s;

/** A piece of a timeline, for people: “Wrote shopping.txt”. What the gateway calls it is there for who hovers. */
export function spanText({ kind, label, status }: Span): string {
  if (kind === "model") return say.model;
  const [, tool, target = ""] = kind === "tool" || kind === "undo" ? (CALL.exec(label) ?? []) : [];
  if (tool === undefined) return showLine(gatewayText(label));
  const wasDone = kind === "tool" && status?.startsWith("done") === true;
  const { words, about } = deedText(tool, wasDone ? "done" : "todo", target);
  const deed = about === "" ? words : `${words}: ${about}`;
  return showLine(kind === "undo" ? fill(say.undoOf, deed) : deed);
}
