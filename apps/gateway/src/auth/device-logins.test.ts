import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { LIMITS } from "@elwood/core/base/limits";
import type { TokenInfo } from "@elwood/runtime/ports/ports";
import { sha256 } from "@elwood/platform/system";
import { expect, test } from "vitest";
import { deviceLogin, DeviceLogins, keyOf, signedText } from "./device-logins.ts";

function scene() {
  const time = { now: 1_000 };
  const devices = new DeviceLogins({ now: () => time.now, sleep: () => Promise.resolve() });
  const device = (id: string) => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const row: TokenInfo = { id, ...deviceLogin(time.now), publicKey: spki(publicKey) };
    const proof = (challenge: string, deviceId = id) => ({
      deviceId,
      challenge,
      signature: sign("sha256", Buffer.from(signedText(deviceId, challenge)), {
        key: privateKey,
        dsaEncoding: "ieee-p1363",
      }).toString("base64url"),
    });
    return { row, proof };
  };
  return { time, devices, device };
}

const spki = (key: KeyObject) => key.export({ format: "der", type: "spki" }).toString("base64url");

test("a device proves itself by what it signs: once, soon, with its own key, and while its row is good", () => {
  const { time, devices, device } = scene();
  const { row, proof } = device("tok_1");
  const other = device("tok_2");
  const fresh = () => devices.challenge().challenge;
  const first = fresh();
  expect(devices.proves(proof(first), row)).toBe(true);
  expect(devices.proves(proof(first), row), "twice").toBe(false);
  expect(devices.proves(proof("made up"), row), "no challenge").toBe(false);
  expect(devices.proves(other.proof(fresh(), "tok_1"), row), "another key").toBe(false);
  expect(devices.proves(other.proof(fresh()), row), "another device").toBe(false);
  expect(devices.proves({ ...proof(fresh()), challenge: fresh() }, row), "another challenge").toBe(false);
  for (const signature of ["", "AA", "x".repeat(200), "\u0000"])
    expect(devices.proves({ ...proof(fresh()), signature }, row), signature).toBe(false);
  const { publicKey: _, ...token } = row;
  expect(devices.proves(proof(fresh()), token), "a token without a key").toBe(false);
  expect(devices.proves(proof(fresh()), undefined), "revoked").toBe(false);
  const late = fresh();
  time.now += LIMITS.deviceChallengeMs;
  expect(devices.proves(proof(late), row), "late").toBe(false);
  time.now = row.expiresAt ?? 0;
  expect(devices.proves(proof(fresh()), row), "expired").toBe(false);
});

test("its token is known until its time, at most until the device's own, and not after a restart", () => {
  const { time, devices, device } = scene();
  const { row } = device("tok_1");
  const { token, expiresAt } = devices.open(row);
  expect(devices.ownerOf(sha256(token))).toEqual({ deviceId: "tok_1", expiresAt });
  expect(scene().devices.ownerOf(sha256(token))).toBeUndefined();
  time.now = expiresAt;
  expect(devices.ownerOf(sha256(token))).toBeUndefined();
  expect(devices.open({ ...row, expiresAt: time.now + 5 }).expiresAt).toBe(time.now + 5);
});

test("of more tokens than are kept the oldest gives way", () => {
  const { devices, device } = scene();
  const { row } = device("tok_1");
  const made = Array.from({ length: LIMITS.deviceTokensMax + 1 }, () => devices.open(row).token);
  expect(devices.ownerOf(sha256(made[0]!))).toBeUndefined();
  expect(devices.ownerOf(sha256(made[1]!))).toBeDefined();
  expect(devices.ownerOf(sha256(made.at(-1)!))).toBeDefined();
});

test("only a key of P-256 is one", () => {
  expect(keyOf(spki(generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey))).toBeDefined();
  expect(keyOf(spki(generateKeyPairSync("ec", { namedCurve: "P-384" }).publicKey))).toBeUndefined();
  expect(keyOf(spki(generateKeyPairSync("ed25519").publicKey))).toBeUndefined();
  expect(keyOf("A".repeat(120))).toBeUndefined();
});
