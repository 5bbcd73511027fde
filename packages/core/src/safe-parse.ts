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
    return {
      success: false,
      error: new z.ZodError<z.output<S>>([{ code: "custom", path: [], message, input: undefined }]),
    };
  }
}
