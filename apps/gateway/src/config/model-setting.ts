import { formatModelRef, parseModelRef } from "@elwood/core/model/model";
import { z } from "zod";
import { words } from "./leaves.ts";

/** `provider/model`; a bare id is completed where its maker is plain, so that older files load as they are. */
export function modelRef(example = "anthropic/claude-sonnet-5-5") {
  const text = words(`a model as provider/model, for example ${example}`);
  return text.transform((written, context) => {
    const parsed = parseModelRef(written);
    if (parsed.ok) return formatModelRef(parsed.value);
    context.addIssue({ code: "custom", message: parsed.error, params: { sentence: true } });
    return z.NEVER;
  });
}
