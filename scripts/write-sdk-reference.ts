/** node scripts/write-sdk-reference.ts: writes docs/sdk-reference.md anew. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { REFERENCE, sdkReference } from "./sdk-reference.ts";

const root = join(import.meta.dirname, "..");
writeFileSync(join(root, REFERENCE), sdkReference(root));
