/**
 * What a schema of a tool may be: a Standard Schema that can also say itself as JSON Schema
 * (Zod 4 and others can), or a plain JSON Schema. Described by shape, so that no schema
 * library is needed here and every one fits.
 */
export type ToolSchema = StandardToolSchema | JsonSchema;

/** See standardschema.dev. `jsonSchema` is what the model is shown. */
export interface StandardToolSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardOutcome<Output> | Promise<StandardOutcome<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: { target: "draft-2020-12" }) => Record<string, unknown>;
      readonly output: (options: { target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
}

export type StandardOutcome<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A JSON Schema, draft 2020-12. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly [keyword: string]: unknown;
}

/** What a handler gets for a schema: the checked value, defaults filled in. */
export type Checked<S> = S extends {
  readonly "~standard": { readonly types?: infer Types };
}
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : S extends { readonly properties: infer Properties }
    ? { readonly [K in keyof Properties]?: unknown }
    : Record<string, unknown>;

export function isStandardSchema(schema: ToolSchema): schema is StandardToolSchema {
  return typeof schema["~standard"] === "object" && schema["~standard"] !== null;
}
