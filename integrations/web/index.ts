import type { DocumentReader } from "@elwood/sdk/documents/document-reader";
import type { ToolDefinition } from "@elwood/sdk/tool";
import { fetchTool } from "./fetch-tool.ts";
import type { JudgeAddress, SearchService, WebKit } from "./kit.ts";
import { WEB_TOOL_LIMITS, type WebToolLimits } from "./limits.ts";
import { searchTool } from "./search-tool.ts";

export type { JudgeAddress, SearchService, WebToolLimits };

export interface WebOptions {
  /** Elwood's rules on the text of addresses, so that they answer before anybody is asked. */
  readonly judge: JudgeAddress;
  /** Reads PDFs as text. */
  readonly documents: DocumentReader;
  /** Who searches; without one there is no tool that does. */
  readonly search?: SearchService;
  readonly limits?: Partial<WebToolLimits>;
}

/** Fetching a page, and searching. Both reach the web through `ctx.fetch` alone. */
export function webTools({ judge, documents, search, limits }: WebOptions): ToolDefinition[] {
  const kit: WebKit = { judge, documents, limits: { ...WEB_TOOL_LIMITS, ...limits } };
  return [fetchTool(kit), ...(search ? [searchTool(kit, search)] : [])];
}
