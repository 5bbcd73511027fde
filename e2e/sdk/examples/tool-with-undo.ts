/** A tool that can take back what it did, and find out after a crash whether it did it. */
import { Tool } from "@elwood/sdk";

export function bookings(): { readonly tool: Tool; readonly booked: ReadonlyMap<string, number> } {
  const booked = new Map<string, number>();
  const tool = new Tool({
    name: "book_table",
    description: "Books a table for so many people.",
    inputSchema: { type: "object", properties: { people: { type: "number" } }, required: ["people"] },
    risk: "write",
    // Booking twice under one key books once, so a call that broke off may be made again.
    idempotent: true,
    async execute({ people }, _conversationId, { idempotencyKey }) {
      booked.set(idempotencyKey, Number(people));
      return { booking: idempotencyKey };
    },
    async undo(_args, output) {
      const { booking } = output as { booking: string };
      return { cancelled: booked.delete(booking) };
    },
    async reconcile(_args, idempotencyKey) {
      return booked.has(idempotencyKey) ? "happened" : "did-not-happen";
    },
  });
  return { tool, booked };
}
