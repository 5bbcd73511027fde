import type { ChannelFile, FetchedFile } from "@elwood/sdk/channel/channel";
import { fileRefSchema, messageSchema } from "./inbound.ts";
import type { DiscordRest } from "./rest.ts";

export const FILE_BYTES_MAX = { in: 20 * 1024 * 1024, out: 10 * 1024 * 1024 };

const HOSTS = new Set(["cdn.discordapp.com", "media.discordapp.net"]);

interface Context {
  readonly rest: DiscordRest;
  readonly apiRoot: string;
  readonly signal: AbortSignal;
}

/** Reads a file that came with a message. Its address is good for about a day; then the message is asked for a new one. */
export async function fetchAttachment(file: ChannelFile, context: Context): Promise<FetchedFile> {
  const ref = fileRefSchema.safeParse(JSON.parse(file.ref));
  if (!ref.success) return { ok: false, problem: "cannot be found any more." };
  if ((file.bytes ?? 0) > FILE_BYTES_MAX.in) return { ok: false, problem: tooLarge() };
  const first = await download(ref.data.url, context);
  if (first !== "expired") return first;
  const fresh = await freshAddress(ref.data, context.rest, context.signal);
  const second = fresh === undefined ? "expired" : await download(fresh, context);
  return second === "expired" ? { ok: false, problem: "is no longer there." } : second;
}

async function freshAddress(
  ref: { readonly channel: string; readonly message: string; readonly attachment: string },
  rest: DiscordRest,
  signal: AbortSignal,
): Promise<string | undefined> {
  const result = await rest.get(`/channels/${ref.channel}/messages/${ref.message}`, { signal });
  const message = result.ok ? messageSchema.safeParse(result.body).data : undefined;
  return message?.attachments.find(({ id }) => id === ref.attachment)?.url;
}

async function download(address: string, { apiRoot, signal }: Context): Promise<FetchedFile | "expired"> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const known =
    url && ((url.protocol === "https:" && HOSTS.has(url.hostname)) || url.origin === new URL(apiRoot).origin);
  if (!known) return { ok: false, problem: "is not at one of Discord's own addresses, so it was not read." };
  try {
    const response = await fetch(url, { redirect: "error", signal });
    if (response.status === 403 || response.status === 404) return "expired";
    if (!response.ok || !response.body)
      return { ok: false, problem: `could not be read: Discord answered ${response.status}.` };
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body) {
      bytes += chunk.length;
      if (bytes > FILE_BYTES_MAX.in) return { ok: false, problem: tooLarge() };
      chunks.push(chunk);
    }
    return { ok: true, bytes: Buffer.concat(chunks) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, problem: `could not be read: ${why}` };
  }
}

function tooLarge(): string {
  return `is larger than ${FILE_BYTES_MAX.in / 1024 / 1024} MB, so it was not read.`;
}
