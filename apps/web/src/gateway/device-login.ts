import type { GatewayClient } from "@elwood/sdk/client";
import { markStay } from "./device-mark.ts";

/**
 * The key of this browser, by which it stays logged in. It is made here and cannot be read out, not
 * even by this page: it can only sign. The gateway has its public half, and forgets it on request.
 */
interface Device {
  readonly deviceId: string;
  readonly key: CryptoKey;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" } as const;
const DATABASE = "elwood-device";
const STORE = "device";

/** Makes a key and tells the gateway. What cannot be kept is told by an exception, and leaves nothing behind. */
export async function keepDevice(link: Pick<GatewayClient, "call">): Promise<void> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(ALGORITHM, false, ["sign", "verify"]);
  const spki = await crypto.subtle.exportKey("spki", publicKey);
  const { deviceId, expiresAt } = await link.call("login.keep", { publicKey: base64url(spki) });
  try {
    const device: Device = { deviceId, key: privateKey };
    await inStore("readwrite", (store) => store.put(device, STORE));
  } catch (error) {
    await link.call("tokens.revoke", { tokenId: deviceId });
    throw error;
  }
  markStay(expiresAt);
}

/** A token for this browser, for what it signs; undefined where it has no key, or none that is good any more. */
export async function deviceToken(): Promise<string | undefined> {
  const device = await kept();
  if (!device) return undefined;
  const asked = await post("/login/challenge", {});
  const challenge = asked?.["challenge"];
  if (typeof challenge !== "string") return undefined;
  const text = new TextEncoder().encode(`elwood.login.v1\n${device.deviceId}\n${challenge}`);
  const signature = await crypto.subtle.sign({ ...ALGORITHM, hash: "SHA-256" }, device.key, text);
  const answer = await post("/login", {
    deviceId: device.deviceId,
    challenge,
    signature: base64url(signature),
  });
  const token = answer?.["token"];
  if (typeof token === "string") return token;
  // Revoked or expired: from now on a link is asked for. Where nobody answered, the key may still be good.
  if (answer) await forgetDevice();
  return undefined;
}

export async function forgetDevice(): Promise<void> {
  markStay(undefined);
  try {
    await inStore("readwrite", (store) => store.delete(STORE));
  } catch {
    return; // there was nothing, or it cannot be reached: the gateway's row is what counts
  }
}

async function kept(): Promise<Device | undefined> {
  try {
    return (await inStore("readonly", (store) => store.get(STORE))) as Device | undefined;
  } catch {
    return undefined; // a browser that keeps nothing
  }
}

/** What the gateway answers, be it a refusal; undefined where nobody, or somebody else, answers. */
async function post(path: string, body: object): Promise<Record<string, unknown> | undefined> {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok && response.status !== 401) return undefined;
    return (await response.json()) as Record<string, unknown>;
  } catch {
    return undefined; // the gateway is away
  }
}

function inStore<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1);
    opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(STORE));
    opening.addEventListener("error", () => reject(new Error("The browser keeps nothing for this page.")));
    opening.addEventListener("success", () => {
      const database = opening.result;
      const change = database.transaction(STORE, mode);
      const asked = act(change.objectStore(STORE));
      const end = (settle: () => void) => {
        database.close();
        settle();
      };
      change.addEventListener("complete", () => end(() => resolve(asked.result)));
      for (const failed of ["error", "abort"] as const)
        change.addEventListener(failed, () =>
          end(() => reject(new Error("The browser could not keep the key."))),
        );
    });
  });
}

function base64url(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
