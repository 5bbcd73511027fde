import { spawn } from "node:child_process";
import type { Io } from "./io.ts";

/** Opens an address in the owner's browser. True where there is a desktop to open it on; failure to open is no failure. */
export function openBrowser(
  url: string,
  env: Io["env"],
  platform: NodeJS.Platform = process.platform,
): boolean {
  const command = browserCommand(env, platform);
  if (!command) return false;
  const child = spawn(command[0]!, [...command.slice(1), url], { stdio: "ignore", detached: true });
  child.on("error", () => child.unref());
  child.unref();
  return true;
}

export function browserCommand(env: Io["env"], platform: NodeJS.Platform): readonly string[] | undefined {
  if (env["CI"] || env["SSH_CONNECTION"]) return undefined;
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return env["DISPLAY"] || env["WAYLAND_DISPLAY"] ? ["xdg-open"] : undefined;
}
