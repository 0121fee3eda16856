import { isUtf8 } from "node:buffer";
import { parse } from "content-disposition";
import { decodeText, shorten } from "@/lib/core/text";

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

/** Read as browsers do: `filename*` first, and a header that only consists of parameters has them, too. */
const givenName = (disposition: string): string =>
  decoded(fromBytes(parse(`;${disposition}`).parameters.filename ?? ""));

/** A header's characters are its bytes: UTF-8 from most hosts, else Windows-1252. A `filename*` may have any other. */
function fromBytes(text: string): string {
  if (/[^\0-\xff]/.test(text)) return text;
  const bytes = Buffer.from(text, "latin1");
  return isUtf8(bytes) ? bytes.toString() : decodeText(bytes, "windows-1252");
}

const lastSegment = (link: string): string =>
  URL.canParse(link) ? decoded(new URL(link).pathname.split("/").findLast((part) => part !== "") ?? "") : "";

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Removes folders and invisible characters, which could disguise a name. */
function cleaned(name: string): string | undefined {
  const base = (name.split(/[/\\]/).at(-1) ?? "")
    .replace(/[\p{Control}\p{Format}\p{Surrogate}\p{Line_Separator}\p{Paragraph_Separator}]/gu, "")
    .replace(/\s+/g, " ")
    .replace(/\.pdf$/i, "")
    .replace(/^[\s.]+|[\s.]+$/g, "");
  if (base === "") return undefined;
  return `${shorten(base, MAX_CHARACTERS - EXTENSION.length - 1)}${EXTENSION}`;
}
