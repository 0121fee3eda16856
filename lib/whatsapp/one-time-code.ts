import type { DraftCode } from "./draft";

type GraphObject = Record<string, unknown>;

/** The default draft of a one-time code. Not in the schema's file, so that the editor does not load the schema. */
export const NO_CODE: DraftCode = {
  hasAdvice: true,
  minutes: "10",
  button: "copyCode",
  packageName: "",
  signatureHash: "",
};

const ADVICE = "For your security, do not share this code.";
const OTP_TYPES = { copyCode: "COPY_CODE", oneTap: "ONE_TAP" } as const;

/** WhatsApp's own text, in English; it is translated where the template is in another language. */
export function codeBodyText(hasAdvice: boolean): string {
  return `*{{1}}* is your verification code.${hasAdvice ? ` ${ADVICE}` : ""}`;
}

export function codeFooterText(minutes: number): string {
  return `This code expires in ${minutes} minutes.`;
}

/** The components of an authentication template as they are posted. */
export function postedCode({ hasAdvice, minutes, button, packageName, signatureHash }: DraftCode): GraphObject[] {
  const app = { package_name: packageName, signature_hash: signatureHash };
  const oneTap = button === "oneTap" ? { autofill_text: "Autofill", supported_apps: [app] } : {};
  return [
    { type: "BODY", add_security_recommendation: hasAdvice },
    ...(minutes === "" ? [] : [{ type: "FOOTER", code_expiration_minutes: Number(minutes) }]),
    { type: "BUTTONS", buttons: [{ type: "OTP", otp_type: OTP_TYPES[button], text: "Copy code", ...oneTap }] },
  ];
}

/** The same as WhatsApp lists it: with its texts, and with the button as a link. */
export function listedCode({ hasAdvice, minutes, button }: DraftCode): GraphObject[] {
  const url = (code: string) => `https://www.whatsapp.com/otp/code/?otp_type=${OTP_TYPES[button]}&code=otp${code}`;
  const footer = { type: "FOOTER", text: codeFooterText(Number(minutes)), code_expiration_minutes: Number(minutes) };
  const example = { body_text: [["123456"]] };
  return [
    { type: "BODY", text: codeBodyText(hasAdvice), add_security_recommendation: hasAdvice, example },
    ...(minutes === "" ? [] : [footer]),
    { type: "BUTTONS", buttons: [{ type: "URL", text: "Copy code", url: url("{{1}}"), example: [url("123456")] }] },
  ];
}
