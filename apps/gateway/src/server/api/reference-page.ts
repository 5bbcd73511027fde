import { isRecord } from "@elwood/core/base/is-record";

/** Its hash stands in the page's own policy, which allows no other style and no script at all. */
export const REFERENCE_STYLE = `
:root { color-scheme: light dark; background: var(--page); color: var(--text); --page: #fff; --text: #1b1b20; --line: #d9d9de; --soft: #f5f5f7; --dim: #5c5c66; --mark: #1f5fbf; }
@media (prefers-color-scheme: dark) {
  :root { --page: #16161b; --text: #ececf1; --line: #3a3a42; --soft: #202027; --dim: #a8a8b3; --mark: #8fb8ff; }
}
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
a { color: var(--mark); }
code, pre { font: .875rem/1.45 ui-monospace, monospace; }
pre { background: var(--soft); padding: .75rem; border-radius: .4rem; overflow-x: auto; white-space: pre-wrap; }
.dim { color: var(--dim); }
details { border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; padding: 0 .75rem; }
summary { padding: .6rem 0; cursor: pointer; }
summary b { display: inline-block; min-width: 3.2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .5rem .3rem 0; border-top: 1px solid var(--line); }
`;

/** The OpenAPI document as a page without a script: it can be read in any browser, without a network. */
export function referencePage(document: Readonly<Record<string, unknown>>): string {
  const info = recordOf(document["info"]);
  const schemas = recordOf(recordOf(document["components"])["schemas"]);
  const operations = Object.entries(recordOf(document["paths"])).flatMap(([path, verbs]) =>
    Object.entries(recordOf(verbs)).map(([verb, operation]) => ({
      path,
      verb: verb.toUpperCase(),
      operation: recordOf(operation),
    })),
  );
  const groups = Map.groupBy(operations, ({ path }) => groupOf(path));
  const body = [...groups].map(
    ([name, list]) => `<h2>${escaped(name)}</h2>\n${list.map(operationPart).join("\n")}`,
  );
  const kept = Object.entries(schemas).map(
    ([name, schema]) =>
      `<details id="${escaped(name)}"><summary><code>${escaped(name)}</code></summary>${code(schema)}</details>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(info["title"])}</title>
<style>${REFERENCE_STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(info["title"])}</h1>
<p>${sentence(info["description"])}</p>
<p>For programs: <a href="/api/v1/openapi.json">openapi.json</a>. A token goes into the header <code>Authorization: Bearer …</code>.</p>
${body.join("\n")}
<h2>Shapes that several use</h2>
${kept.join("\n")}
</main>
</body>
</html>
`;
}

function operationPart({
  path,
  verb,
  operation,
}: {
  readonly path: string;
  readonly verb: string;
  readonly operation: Readonly<Record<string, unknown>>;
}): string {
  const parameters = Array.isArray(operation["parameters"]) ? operation["parameters"].map(recordOf) : [];
  const rows = parameters.map(
    (each) =>
      `<tr><td><code>${escaped(each["name"])}</code></td><td>${escaped(each["in"])}${each["required"] === true ? ", required" : ""}</td><td><code>${escaped(JSON.stringify(each["schema"]))}</code></td></tr>`,
  );
  const body = contentOf(operation["requestBody"]);
  const responses = Object.entries(recordOf(operation["responses"])).filter(
    ([status]) => status !== "default",
  );
  return `<details>
<summary><b>${verb}</b> <code>${escaped(path)}</code><br><span class="dim">${sentence(operation["summary"])}</span></summary>
<p>${sentence(operation["description"])}</p>
${rows.length > 0 ? `<table><thead><tr><th>Parameter</th><th>Where</th><th>Shape</th></tr></thead><tbody>${rows.join("")}</tbody></table>` : ""}
${body.map(([type, schema]) => `<p>Body, <code>${escaped(type)}</code>:</p>${code(schema)}`).join("")}
${responses
  .flatMap(([status, response]) =>
    contentOf(response).map(
      ([type, schema]) =>
        `<p>Answer ${escaped(status)}, <code>${escaped(type)}</code>${schema === undefined ? "." : ":"}</p>${schema === undefined ? "" : code(schema)}`,
    ),
  )
  .join("")}
</details>`;
}

function contentOf(holder: unknown): [string, unknown][] {
  return Object.entries(recordOf(recordOf(holder)["content"])).map(([type, each]) => [
    type,
    recordOf(each)["schema"],
  ]);
}

function groupOf(path: string): string {
  const [, first = "", , third = ""] = path.split("/");
  if (first === "api") return third;
  return first === "v1" ? "As OpenAI or Anthropic" : "Webhooks";
}

function code(value: unknown): string {
  return `<pre><code>${escaped(JSON.stringify(value, null, 2))}</code></pre>`;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** Words as they are read, with names of code told apart. */
function sentence(value: unknown): string {
  return escaped(value).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}

function escaped(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? "");
  return text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
