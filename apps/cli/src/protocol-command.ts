import { EXIT, type Io } from "./io.ts";
import { writeOutput } from "./write-output.ts";
import { say } from "./words/say.ts";

/** `elwood protocol schema`: every frame, method and push as JSON Schema, for clients in any language. */
export async function protocolSchema(io: Io, options: { readonly out?: string }): Promise<number> {
  const { protocolJsonSchema } = await import("@elwood/core/protocol/json-schema");
  const text = `${JSON.stringify(protocolJsonSchema(), null, 2)}\n`;
  if (options.out === undefined || options.out === "-") {
    io.stdout.write(text);
    return EXIT.ok;
  }
  const path = await writeOutput(io, text, {
    output: options.out,
    filename: "elwood-protocol.json",
    mode: 0o644,
    overwrite: true,
  });
  io.stderr.write(`${say(io, "Wrote {0}", path)}\n`);
  return EXIT.ok;
}
