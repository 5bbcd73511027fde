/**
 * The tenant of an installation with one owner. Whoever serves a request takes the tenant of its
 * principal; this name is for what starts a gateway, and for what reads its files without one.
 */
export const DEFAULT_TENANT = "default";
