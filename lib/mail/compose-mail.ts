import { shorten } from "@/lib/core/text";

export type MailPart = { subject: string; paragraphs: string[]; link: { label: string }; url: string };
export type ComposedMail = { subject: string; text: string; html: string };

const MAX_SUBJECT = 120;

/** Composes one mail, as text and as HTML for light and dark readers. Several parts become a digest. `footer`: why it came. */
export function composeMail(parts: readonly MailPart[], footer: string): ComposedMail {
  const [first] = parts;
  const subject = parts.length === 1 ? (first?.subject ?? "") : `${parts.length} alerts: ${first?.subject ?? ""}`;
  return {
    subject: shorten(oneLine(subject), MAX_SUBJECT - 1),
    text: textOf(parts, footer),
    html: htmlOf(parts, footer),
  };
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

const textOf = (parts: readonly MailPart[], footer: string): string =>
  [
    ...parts.map(({ paragraphs, link, url }) => `${paragraphs.join("\n\n")}\n\n${link.label}:\n${url}`),
    `-- \n${footer}`,
  ].join("\n\n");

const htmlOf = (parts: readonly MailPart[], footer: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>Switchboard</title>
<style>
  :root { color-scheme: light dark; }
  body { margin: 0; padding: 24px 16px; background: #f6f7f7; color: #16201c; font: 16px/1.5 system-ui, sans-serif; }
  .card { max-width: 560px; margin: 0 auto; padding: 24px; background: #ffffff; border-radius: 12px; }
  .name { margin: 0 0 16px; font-weight: 600; }
  .part + .part { margin-top: 24px; padding-top: 24px; border-top: 1px solid #dfe4e2; }
  p { margin: 0 0 16px; }
  a.button { display: inline-block; padding: 10px 16px; border-radius: 8px; background: #0b5fcc; color: #ffffff; text-decoration: none; font-weight: 600; }
  .footer { max-width: 560px; margin: 16px auto 0; padding: 0 24px; color: #5b6863; font-size: 13px; }
  @media (prefers-color-scheme: dark) {
    body { background: #0f1513; color: #e6ece9; }
    .card { background: #18201d; }
    .part + .part { border-top-color: #2c3733; }
    a.button { background: #7db2ff; color: #06182f; }
    .footer { color: #9aa8a2; }
  }
</style>
</head>
<body>
<div class="card">
<p class="name">Switchboard</p>
${parts.map(partOf).join("\n")}
</div>
<p class="footer">${escapeHtml(footer)}</p>
</body>
</html>`;

const partOf = ({ paragraphs, link, url }: MailPart): string => `<div class="part">
${paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join("\n")}
<p><a class="button" href="${escapeHtml(url)}">${escapeHtml(link.label)}</a></p>
</div>`;

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
