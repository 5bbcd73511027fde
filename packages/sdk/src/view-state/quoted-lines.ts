/** Lines that begin with `>` are quoted, as in a mail: they go along, and are not what their sender says. */
export function quoteLines(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(/^/gmu, "> ");
}

/** What was typed in a text, and what it quotes. */
export function splitQuoted(text: string): { readonly typed: string; readonly quoted: string } {
  if (!QUOTED.test(text)) return { typed: text, quoted: "" };
  const typed: string[] = [];
  const quoted: string[] = [];
  for (const line of text.split("\n"))
    if (QUOTED.test(line)) quoted.push(line.replace(QUOTED, ""));
    else typed.push(line);
  return { typed: typed.join("\n").trim(), quoted: quoted.join("\n") };
}

const QUOTED = /^> ?/mu;
