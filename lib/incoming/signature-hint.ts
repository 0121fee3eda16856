import { isSigned } from "@/lib/whatsapp/webhook-signature";

/** Why a signature was refused, for an owner who has to fix it; no secret and nothing of the body. */
export function signatureHint(raw: Uint8Array, header: string | null, secrets: string[]): string {
  if (header === null) return "No signature: it did not come from WhatsApp, or a proxy removed the header.";
  if (!/^sha256=[0-9a-f]{64}$/i.test(header)) return "The signature is not of the form sha256=… and 64 hex digits.";
  if (rewritten(raw).some((bytes) => isSigned(bytes, header, secrets))) {
    return "The app secret is right, but a proxy changed the body on its way here.";
  }
  return "The app secret differs from WHATSAPP_APP_SECRET, or a proxy changed the body on its way here.";
}

/** The bytes that WhatsApp may have signed, where something on the way wrote the same JSON in another spelling. */
const rewritten = (raw: Uint8Array): Uint8Array[] => {
  const text = Buffer.from(raw).toString("utf8");
  let compact: string;
  try {
    compact = JSON.stringify(JSON.parse(text));
  } catch {
    return [Buffer.from(text.trim())];
  }
  const spellings = [text.trim(), compact].flatMap((spelling) => {
    const escaped = spelling.replace(
      /[\u0080-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    return [spelling, escaped, spelling.replaceAll("/", "\\/"), escaped.replaceAll("/", "\\/")];
  });
  return spellings.map((spelling) => Buffer.from(spelling));
};
