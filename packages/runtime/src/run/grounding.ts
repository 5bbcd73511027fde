/**
 * What compares replies with receipts, loaded when it is first needed: its weights take
 * longer to load than a gateway may take to start, and a run has time while it waits for
 * the first answer of its model.
 */
export const loadGrounding = () => import("@elwood/core/grounding/ground");

/** The small part of it that text needs while it streams. */
export const loadReserved = () => import("@elwood/core/grounding/reserved");
