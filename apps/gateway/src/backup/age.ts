import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { fail } from "@elwood/core/base/failure";

/**
 * Encryption by a passphrase, in the format of age (age-encryption.org/v1): scrypt and
 * ChaCha20-Poly1305 in pieces. The library is loaded with the first backup that needs it.
 */
export const AGE_MAGIC = "age-encryption.org/v1";

/** Shorter ones are guessed by whoever finds the file. */
export const PASSPHRASE_CHARS_MIN = 12;

export function checkPassphrase(passphrase: string): string {
  if (passphrase.length < PASSPHRASE_CHARS_MIN)
    fail(
      "INVALID_INPUT",
      `The passphrase has fewer than ${PASSPHRASE_CHARS_MIN} characters. Nothing was written. Take four or five words that nobody would guess.`,
    );
  return passphrase;
}

export async function encrypted(plain: Readable, passphrase: string, workFactor?: number): Promise<Readable> {
  const { Encrypter } = await import("age-encryption");
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  if (workFactor !== undefined) encrypter.setScryptWorkFactor(workFactor);
  const stream = await encrypter.encrypt(Readable.toWeb(plain) as globalThis.ReadableStream<Uint8Array>);
  return Readable.fromWeb(stream as ReadableStream<Uint8Array>);
}

/** Throws a FailureError where the passphrase is wrong; what is damaged further on shows while it is read. */
export async function decrypted(cipher: Readable, passphrase: string, name: string): Promise<Readable> {
  const { Decrypter } = await import("age-encryption");
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    const stream = await decrypter.decrypt(Readable.toWeb(cipher) as globalThis.ReadableStream<Uint8Array>);
    return Readable.fromWeb(stream as ReadableStream<Uint8Array>);
  } catch (error) {
    if (error instanceof Error && /no identity matched/.test(error.message))
      return fail(
        "INVALID_INPUT",
        `The passphrase does not open ${name}. Nothing was changed. Try again with the passphrase that it was made with; without it nobody can open it.`,
      );
    return fail(
      "INVALID_INPUT",
      `${name} is cut short or damaged: its beginning cannot be read. Nothing was changed.`,
    );
  }
}
