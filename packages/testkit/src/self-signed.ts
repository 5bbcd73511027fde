import { generateKeyPairSync, sign } from "node:crypto";

/** A key and a certificate made on the spot, so that none lies in the repository and none ever expires. */
export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

export function selfSigned(names: readonly string[]): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(oid("2a8648ce3d040302"));
  const name = sequence(set(sequence(oid("550403"), tlv(0x0c, Buffer.from("Elwood tests")))));
  const altNames = sequence(...names.map((each) => tlv(0x82, Buffer.from(each))));
  const body = sequence(
    tlv(0xa0, integer(2)),
    integer(1),
    algorithm,
    name,
    sequence(time("20000101000000Z"), time("29991231235959Z")),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tlv(
      0xa3,
      sequence(
        sequence(oid("551d11"), tlv(0x04, altNames)),
        sequence(
          oid("551d13"),
          tlv(0x01, Buffer.from([0xff])),
          tlv(0x04, sequence(tlv(0x01, Buffer.from([0xff])))),
        ),
      ),
    ),
  );
  const signature = tlv(0x03, Buffer.concat([Buffer.from([0]), sign("sha256", body, privateKey)]));
  const der = sequence(body, algorithm, signature);
  const lines = der
    .toString("base64")
    .match(/.{1,64}/g)!
    .join("\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

function tlv(tag: number, content: Uint8Array): Buffer {
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return tlv(0x30, Buffer.concat(parts));
}

function set(part: Uint8Array): Buffer {
  return tlv(0x31, part);
}

function oid(hex: string): Buffer {
  return tlv(0x06, Buffer.from(hex, "hex"));
}

function integer(value: number): Buffer {
  return tlv(0x02, Buffer.from([value]));
}

function time(text: string): Buffer {
  return tlv(0x18, Buffer.from(text));
}
