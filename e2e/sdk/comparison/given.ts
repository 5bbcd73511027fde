/** What the programs here are given. What they do with it is told on standard error. */
export async function stock(kind: string): Promise<number> {
  process.stderr.write(`stock ${kind}\n`);
  return 12;
}

export async function refund(order: number): Promise<string> {
  process.stderr.write(`refund ${order}\n`);
  return "paid back";
}

/** Asks a person: here, whoever started the program. */
export async function decide(question: string): Promise<boolean> {
  process.stderr.write(`decide ${question}\n`);
  return process.env["DECISION"] === "yes";
}
