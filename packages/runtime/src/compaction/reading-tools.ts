/** Finds what is no longer part of the request. */
export const SEARCH_TOOL = "memory.note.search";
/** Reads the part of a result that was left out of the request. */
export const RESULT_TOOL = "session.result.read";
