import type { ToolDefinition } from "@elwood/sdk/tool";
import { browserParts, type BrowserNeeds } from "./browser-parts.ts";

/** The browser tools with their cage. Only contracts are loaded here; a process is started by the first page. */
export async function openBrowser(
  needs: BrowserNeeds,
): Promise<{ readonly tools: readonly ToolDefinition[]; close(): Promise<void> }> {
  const { browserTools } = await import("@elwood/integration-browser");
  const parts = browserParts(needs);
  const browser = browserTools(parts.options);
  return {
    tools: browser.tools,
    close: async () => {
      await browser.close();
      await parts.close();
    },
  };
}
