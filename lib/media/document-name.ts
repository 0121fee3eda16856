import { shorten } from "@/lib/core/text";

const MAX_CHARACTERS = 100;
const EXTENSION = ".pdf";
const UNNAMED = `document${EXTENSION}`;

/**
 * Returns the file name that recipients see for a PDF: from `Content-Disposition`, else the last segment of
 * the link's path, else `document.pdf`. Always ends in `.pdf`, and has 100 characters at most.
 */
export function documentName(link: string, contentDisposition: string | undefined): string {
  return (
    [givenName(contentDisposition ?? ""), lastSegment(link)].map(cleaned).find((name) => name !== undefined) ?? UNNAMED
  );
}

/** `filename*` takes precedence, as RFC 6266 requires. */
const givenName = (disposition: string): string => {
  const encoded = /(?:^|;)\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  if (encoded !== undefined) return decoded(encoded);
  const plain = /(?:^|;)\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition);
  return plain?.[1]?.replace(/\\(.)/g, "$1") ?? plain?.[2] ?? "";
};

const lastSegment = (link: string): string =>
  URL.canParse(link) ? decoded(new URL(link).pathname.split("/").findLast((part) => part !== "") ?? "") : "";

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Removes folders and invisible characters, which could disguise a name. */
const cleaned = (name: string): string | undefined => {
  const base = (name.split(/[/\\]/).at(-1) ?? "")
    .replace(/[\p{Control}\p{Format}\p{Surrogate}\p{Line_Separator}\p{Paragraph_Separator}]/gu, "")
    .replace(/\s+/g, " ")
    .replace(/\.pdf$/i, "")
    .replace(/^[\s.]+|[\s.]+$/g, "");
  if (base === "") return undefined;
  return `${shorten(base, MAX_CHARACTERS - EXTENSION.length - 1)}${EXTENSION}`;
};
