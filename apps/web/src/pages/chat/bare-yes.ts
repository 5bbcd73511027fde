/**
 * Whether a message says yes and nothing else. While a card waits, whoever writes that takes
 * the box for the button: a message approves nothing.
 */
export function isBareYes(text: string): boolean {
  const words = text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[\s.,!。！👍✅]+/gu, " ")
    .trim();
  return YES.has(words) || (words === "" && /[👍✅]/u.test(text));
}

const YES: ReadonlySet<string> = new Set(
  [
    "y|yes|yes please|yep|yeah|yup|sure|ok|okay|k|ok go|fine|please do",
    "go|go ahead|go on|do it|proceed|continue|confirm|confirmed|agreed",
    "allow|allow it|approve|approved|approve it|accept|lgtm",
    "j|ja|jo|jawohl|ja bitte|klar|mach|mach das|mach es|erlauben|passt",
    "oui|d'accord|d’accord|vas-y|bien sûr",
    "si|sí|claro|vale|dale|adelante|sì|certo|va bene|sim|pode",
    "da|да|давай|tak|ano|igen|evet|naam|हाँ|نعم|כן",
    "はい|うん|네|예|是|是的|好|好的|可以|行",
  ].flatMap((line) => line.split("|")),
);
