import { isRecord } from "@elwood/core/base/is-record";
import { html, nothing, type TemplateResult } from "lit";
import { say } from "../words/en/parts.ts";
import { fill } from "../words/fill.ts";

/** What cannot be allowed need not be shown whole; a browser should not stand still over it. */
const UNSHOWABLE_CHARS_MAX = 4_000;

/**
 * Every argument of a call, open and whole. Commands look like commands; for the rest one
 * line a name. `whole` is false for what is too long to be decided about.
 */
export function inputView(toolId: string, input: unknown, whole = true): TemplateResult {
  if (!isRecord(input)) return html`<dl class="input-view">${entry("input", input, whole)}</dl>`;
  if (toolId === "shell.command.run") return commandView(input, whole);
  return html`<dl class="input-view">
    ${Object.entries(input).map(([name, value]) => entry(name, value, whole))}
  </dl>`;
}

function commandView(input: Readonly<Record<string, unknown>>, whole: boolean): TemplateResult {
  const { argv, command, ...rest } = input;
  const line = Array.isArray(argv) ? argv.map((each) => quoted(String(each))).join(" ") : command;
  return html`<pre class="input-command" aria-label=${say.command}><span aria-hidden="true">$ </span>${block(
      line,
      whole,
    )}</pre>
    ${
      Object.keys(rest).length === 0
        ? nothing
        : html`<dl class="input-view">
            ${Object.entries(rest).map(([name, value]) => entry(name, value, whole))}
          </dl>`
    }`;
}

/** As one would have to type it: an argument with a blank in it is still one argument. */
function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}

function entry(name: string, value: unknown, whole: boolean): TemplateResult {
  return html`<dt>${name}</dt>
    <dd><pre>${block(value, whole)}</pre></dd>`;
}

function block(value: unknown, whole: boolean): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? "");
  if (whole || text.length <= UNSHOWABLE_CHARS_MAX) return text;
  const rest = text.length - UNSHOWABLE_CHARS_MAX;
  return fill(say.andMoreCharacters, text.slice(0, UNSHOWABLE_CHARS_MAX), rest.toLocaleString());
}
