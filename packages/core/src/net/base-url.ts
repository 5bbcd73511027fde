import { err, ok, type Result } from "../base/result.ts";

/** An address of a model server, without a slash at its end; the error completes "must be …". */
export function parseBaseUrl(text: string): Result<string, string> {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    return err("must be an address such as http://127.0.0.1:8000/v1");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return err("must be an address that starts with http:// or https://");
  }
  if (url.username !== "" || url.password !== "") {
    return err("must be an address without a user name or password in it; keys belong into `elwood auth`");
  }
  if (url.search !== "" || url.hash !== "") return err("must be an address without ? or #");
  return ok(url.href.replace(/\/+$/, ""));
}

export function isLoopbackHost(host: string): boolean {
  const plain = host.toLowerCase().replace(/^\[|\]$/g, "");
  return plain === "localhost" || plain === "::1" || /^127(\.\d{1,3}){3}$/.test(plain);
}

/** A key sent there could be read by anyone on the way. */
export function sendsKeyInClear(baseUrl: string): boolean {
  const url = new URL(baseUrl);
  return url.protocol === "http:" && !isLoopbackHost(url.hostname);
}
