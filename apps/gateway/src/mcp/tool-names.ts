import { isToolId } from "@elwood/core/model/model";
import { sha256 } from "@elwood/platform/system";

/** So that `mcp-`, both parts, `call` and what lies between them fit a name of 64 characters. */
const SERVER_CHARS_MAX = 24;
const TOOL_CHARS_MAX = 28;
const HASH_CHARS = 8;

/** How a name ends that was written in other characters. No plain name may end so. */
const ENCODED_END = new RegExp(`-x[0-9a-f]{${HASH_CHARS}}$`);

/** The part of tool ids that stands for a server. */
export function serverPart(name: string): string {
  return part(name, /^[a-z0-9-]+(_[a-z0-9-]+)*$/, SERVER_CHARS_MAX, (text) => text.toLowerCase());
}

/**
 * The id of a server's tool: `mcp-<server>.<tool>.call`. A name that fits stays as it is. One that
 * does not (other scripts, `/`, too long) is written in plain letters and told from all others by a hash
 * of the whole name, so that the same name always gets the same id and two names never share one.
 */
export function toolIdOf(server: string, tool: string): string {
  const id = `mcp-${serverPart(server)}.${toolPart(tool)}.call`;
  if (!isToolId(id)) throw new Error(`the id ${id} is not well formed`);
  return id;
}

function toolPart(name: string): string {
  const written = part(name, /^[A-Za-z][A-Za-z0-9-]*(_[A-Za-z0-9-]+)*$/, TOOL_CHARS_MAX, (text) => text);
  return /^[A-Za-z]/.test(written) ? written : `t-${written.slice(2 - TOOL_CHARS_MAX)}`;
}

function part(name: string, fits: RegExp, charsMax: number, cased: (text: string) => string): string {
  if (fits.test(name) && name.length <= charsMax && !ENCODED_END.test(name)) return name;
  const plain = cased(name)
    .replaceAll(/[^A-Za-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, charsMax - HASH_CHARS - 2);
  return `${plain}-x${sha256(name).slice(0, HASH_CHARS)}`;
}
