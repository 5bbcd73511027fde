import { fileURLToPath } from "node:url";

/** Where integrations lie in this installation. */
export const INTEGRATIONS_DIR = fileURLToPath(new URL("../../../../integrations", import.meta.url));

/** The files of a new integration: one tool that works against a service with an address and a token, and a test of it. */
export function scaffoldIntegration(name: string): { readonly path: string; readonly text: string }[] {
  const title = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  const fill = (text: string) =>
    text
      .replaceAll("NAME", name)
      .replaceAll("TITLE", title)
      .replaceAll("VARIABLE", `${name.toUpperCase()}_API_TOKEN`);
  return Object.entries(FILES).map(([path, text]) => ({
    path: `${name}/${path.replace("NAME", name)}`,
    text: fill(text),
  }));
}

const FILES: Readonly<Record<string, string>> = {
  "manifest.json": `{
  "name": "NAME",
  "title": "TITLE",
  "summary": "One sentence about TITLE, for people.",
  "can": ["Tell what an item of TITLE is called."],
  "settings": [
    {
      "key": "url",
      "title": "Server address",
      "kind": "address",
      "required": true,
      "example": "https://NAME.example.com"
    }
  ],
  "secrets": [
    {
      "key": "token",
      "variable": "VARIABLE",
      "title": "API token",
      "help": "Where to get it, in a sentence."
    }
  ],
  "hosts": ["{url}"]
}
`,
  "package.json": `{
  "name": "@elwood/integration-NAME",
  "version": "0.1.0",
  "private": true,
  "license": "MIT",
  "type": "module",
  "exports": {
    ".": "./index.ts"
  },
  "dependencies": {
    "@elwood/sdk": "*",
    "zod": "4.6.7"
  }
}
`,
  "schemas.ts": `import { z } from "zod";

export const getInput = z.strictObject({ item: z.string().min(1).max(200) });
export const getOutput = z.strictObject({ item: z.string(), title: z.string() });

/** What the service answers, as far as it is read. */
export const itemAnswer = z.object({ title: z.string() });
`,
  "client.ts": `import type { IntegrationContext } from "@elwood/sdk/integration";
import { ToolError } from "@elwood/sdk/tool";
import { itemAnswer } from "./schemas.ts";

export interface Settings {
  /** Without a slash at its end. */
  readonly url: string;
}

/** Requests to the service. A large client library is imported here, inside of a method: not before it is needed. */
export class Client {
  readonly #context: IntegrationContext<Settings>;

  constructor(context: IntegrationContext<Settings>) {
    this.#context = context;
  }

  async item(id: string, signal: AbortSignal): Promise<{ readonly title: string }> {
    return itemAnswer.parse(await this.#get(\`/items/\${encodeURIComponent(id)}\`, signal));
  }

  async account(signal: AbortSignal): Promise<string> {
    return itemAnswer.parse(await this.#get("/account", signal)).title;
  }

  async #get(path: string, signal: AbortSignal): Promise<unknown> {
    const { settings, secrets, fetch } = this.#context;
    const authorization = \`Bearer \${secrets["token"] ?? ""}\`;
    const response = await fetch(\`\${settings.url}\${path}\`, { headers: { authorization }, signal });
    // A ToolError says that nothing happened. What could have happened is thrown as another error.
    if (!response.ok) throw new ToolError("refused", \`TITLE answered with \${response.status}.\`);
    return response.json();
  }
}
`,
  "index.ts": `import { defineIntegration, settingText } from "@elwood/sdk/integration";
import { defineTool, err, ok, ToolError } from "@elwood/sdk/tool";
import { Client, type Settings } from "./client.ts";
import { getInput, getOutput } from "./schemas.ts";

export default defineIntegration<Settings>({
  name: "NAME",
  settings({ url }) {
    const address = URL.parse(settingText(url));
    if (address === null) return err("The server must be an address such as https://NAME.example.com.");
    return ok({ url: address.href.replace(/\\/+$/, "") });
  },
  tools(context) {
    const client = new Client(context);
    return [
      defineTool({
        id: "NAME.item.get",
        // For the model: what it does, and when to use it.
        description: "What an item of TITLE is called.",
        // read changes nothing, write can be taken back, destructive cannot.
        risk: "read",
        input: getInput,
        output: getOutput,
        labels: { egress: "owner", output: "untrusted", critical: ["item"], content: [], sensitive: true },
        async handler({ item }, { signal }) {
          return { item, title: (await client.item(item, signal)).title };
        },
      }),
    ];
  },
  async check(context, signal) {
    try {
      return { ok: true, account: await new Client(context).account(signal), notes: [] };
    } catch (cause) {
      if (cause instanceof ToolError) return { ok: false, problem: cause.message };
      throw cause;
    }
  },
});
`,
  "README.md": `# TITLE

What its tools do, and what is special about the service.

| file            | owns                                                |
| --------------- | --------------------------------------------------- |
| \`manifest.json\` | what it is, its settings, its secret, where it goes |
| \`index.ts\`      | the tools and the live test                         |
| \`client.ts\`     | requests to the service                             |
| \`schemas.ts\`    | inputs, outputs, and what is read of answers        |
`,
  "NAME.test.ts": `import { testContext } from "@elwood/sdk/tool";
import { LoopbackServer } from "@elwood/testkit/loopback-server";
import { expect, onTestFinished, test } from "vitest";
import integration from "./index.ts";

test("an item is asked for with the token, and its title is the answer", async () => {
  const server = await new LoopbackServer().start();
  onTestFinished(() => server.close());
  server.always("GET /items/one", (exchange) => {
    exchange.head(200, { "content-type": "application/json" });
    exchange.end(JSON.stringify({ title: "The first" }));
  });
  const settings = integration.settings({ url: server.url });
  if (!settings.ok) throw new Error(settings.error);
  const [tool] = integration.tools({
    settings: settings.value,
    secrets: { token: "a-token" },
    fetch: globalThis.fetch,
    timeZone: "UTC",
    now: () => 0,
  });
  expect(await tool?.handler({ item: "one" }, testContext())).toEqual({ item: "one", title: "The first" });
  expect(server.last().headers["authorization"]).toBe("Bearer a-token");
});
`,
};
