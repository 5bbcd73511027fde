import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { isMissing } from "@elwood/platform/system-error";

/** `gateway.json`: where the gateway of this state directory can be reached. It holds no secret. */
const gatewayInfoSchema = z.object({
  /** Of the form of this file; gateways before it wrote none. */
  v: z.literal(1).default(1),
  pid: z.number().int(),
  url: z.string(),
  startedAt: z.number(),
  version: z.string(),
  /** `up` stays until stopped; `oneshot` leaves when its command is done. */
  mode: z.enum(["up", "oneshot"]),
});
export type GatewayInfo = z.infer<typeof gatewayInfoSchema>;

export function writeGatewayInfo(path: string, info: Omit<GatewayInfo, "v">): void {
  const temporary = `${path}.${info.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify({ v: 1, ...info })}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}

/** undefined where no gateway left word, or what it left cannot be read. A dead gateway's word may still lie there. */
export function readGatewayInfo(path: string): GatewayInfo | undefined {
  try {
    const parsed = gatewayInfoSchema.safeParse(JSON.parse(readFileSync(path, "utf8")));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || isMissing(error)) return undefined;
    throw error;
  }
}

/** Removes the file if it is still ours. */
export function removeGatewayInfo(path: string, pid: number): void {
  if (readGatewayInfo(path)?.pid === pid) rmSync(path, { force: true });
}
