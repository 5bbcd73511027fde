/** A question of the model's, wherever it is shown: whose words it is comes first. */
export function questionWords(question: string): string {
  return `The assistant asks: ${question}`;
}
