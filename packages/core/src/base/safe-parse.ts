import { z } from "zod";

/**
 * Checks a value from outside. zod runs checks of length on values of the wrong type too,
 * and one whose `length` is no number makes them throw; what cannot even be checked is
 * not valid, and must never end the process.
 */
export function safelyParse<S extends z.ZodType>(
  schema: S,
  value: unknown,
): z.ZodSafeParseResult<z.output<S>> {
  try {
    return schema.safeParse(value);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    const message = "Invalid input: it cannot be checked";
    const unchecked = new z.ZodError([{ code: "custom", path: [], message, input: undefined }]);
    // An error holds no value of the schema's type, so it may stand for one of any.
    return { success: false, error: unchecked } as z.ZodSafeParseResult<z.output<S>>;
  }
}
