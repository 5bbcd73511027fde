/** The text of a stored file, by an address that is good for a short while. Throws where it cannot be had. */
export async function storedText(address: string): Promise<string> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`refused with ${response.status}`);
  return response.text();
}
