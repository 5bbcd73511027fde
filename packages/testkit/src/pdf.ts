/** Small PDFs of every kind that reading them has to tell apart. */

/** One page for each text, each line of it on a line of its own; an empty text makes a page with a picture alone. */
export function pdfOf(
  pages: readonly string[],
  options: { readonly encrypted?: boolean } = {},
): Buffer<ArrayBuffer> {
  const first = 4;
  const kids = pages.map((_, i) => `${first + 2 * i} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flatMap((text, i) => {
      const drawn = text === "" ? SCAN : drawText(text);
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${first + 2 * i + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`,
      ];
    }),
  ];
  if (options.encrypted) objects.push(LOCK);
  const lock = options.encrypted ? ` /Encrypt ${objects.length} 0 R /ID [<${ID}> <${ID}>]` : "";
  return written(objects, lock);
}

/** A grey square of one pixel, drawn as large as the page: what a scanner makes of a letter. */
const SCAN = "q 612 0 0 792 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 /F /AHx ID 80> EI Q";

const ID = "00".repeat(16);
/** RC4 with 40 bits, under a password that is not the empty one: a reader fails already at checking it. */
const LOCK = `<< /Filter /Standard /V 1 /R 2 /O <${"ab".repeat(32)}> /U <${"cd".repeat(32)}> /P -4 >>`;

function drawText(text: string): string {
  const lines = text.split("\n").map((line) => `(${line.replaceAll(/[\\()]/g, String.raw`\$&`)}) Tj`);
  return `BT /F1 12 Tf 72 720 Td 14 TL ${lines.join(" T* ")} ET`;
}

function written(objects: readonly string[], trailer: string): Buffer<ArrayBuffer> {
  let pdf = "%PDF-1.4\n";
  const table = objects
    .map((object, at) => {
      const offset = pdf.length;
      pdf += `${at + 1} 0 obj\n${object}\nendobj\n`;
      return `${String(offset).padStart(10, "0")} 00000 n \n`;
    })
    .join("");
  const start = pdf.length;
  const size = objects.length + 1;
  pdf += `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer << /Size ${size} /Root 1 0 R${trailer} >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(pdf, "latin1");
}
