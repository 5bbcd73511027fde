/**
 * What the compiler is told beside the declarations. Which values are dropped is found in
 * the tree; which of them are results of calls that write, or promises, only the compiler
 * knows. So dropped values are handed to these functions, which ask for a second argument
 * exactly where dropping is a mistake.
 */
export const DROP_CHECKS = `type __ElwoodUnread<T, D extends 0[] = []> = 0 extends 1 & T ? false : D["length"] extends 4 ? false : T extends unknown
  ? T extends { ok: false; error: CallError } ? ("~read" extends keyof T ? false : true)
  : T extends PromiseLike<infer U> ? __ElwoodUnread<U, [...D, 0]>
  : T extends readonly (infer U)[] ? __ElwoodUnread<U, [...D, 0]>
  : T extends { status: "fulfilled"; value: infer U } ? __ElwoodUnread<U, [...D, 0]>
  : T extends ReadonlyMap<unknown, infer U> ? __ElwoodUnread<U, [...D, 0]>
  : T extends ReadonlySet<infer U> ? __ElwoodUnread<U, [...D, 0]>
  : false : false;
type __ElwoodPending<T> = 0 extends 1 & T ? false : T extends PromiseLike<unknown> ? true : T extends readonly (infer U)[] ? (0 extends 1 & U ? false : U extends PromiseLike<unknown> ? true : false) : false;
type __ElwoodSkipped<T, B extends readonly unknown[]> = T extends readonly unknown[]
  ? number extends T["length"] ? false : { [K in keyof T]: K extends keyof B ? (B[K] extends 1 ? false : __ElwoodUnread<T[K]>) : B extends readonly [...unknown[], 2] ? false : __ElwoodUnread<T[K]> }[number]
  : false;
declare function __elwoodUnread<T>(value: T, ...must: true extends __ElwoodUnread<T> ? [be: "read"] : []): T;
declare function __elwoodPending<T>(value: T, ...must: true extends __ElwoodPending<T> ? [be: "awaited"] : []): T;
declare function __elwoodSkipped<T, const B extends readonly unknown[]>(value: T, bound: B, ...must: true extends __ElwoodSkipped<T, B> ? [be: "read"] : []): T;
`;

/** Names that begin so are the checker's. */
export const RESERVED_NAME = /__elwood/i;

/** The compiler's code for an argument too few. */
export const DROP_CODE = 2554;
