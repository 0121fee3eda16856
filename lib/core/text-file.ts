/** A file is read at once: some 400,000 people. */
export const MAX_FILE_BYTES = 20 * 1_024 * 1_024;

/** The encodings that a file may be read by, and what they are called where one is chosen. */
export const ENCODINGS = {
  "utf-8": "Unicode (UTF-8)",
  "utf-16le": "Unicode (UTF-16)",
  "utf-16be": "Unicode (UTF-16, big-endian)",
  "windows-1252": "Western European (Windows-1252)",
  "windows-1250": "Central European (Windows-1250)",
  "windows-1251": "Cyrillic (Windows-1251)",
  "windows-1253": "Greek (Windows-1253)",
  "windows-1254": "Turkish (Windows-1254)",
  "windows-1255": "Hebrew (Windows-1255)",
  "windows-1256": "Arabic (Windows-1256)",
  "windows-874": "Thai (Windows-874)",
  "windows-1258": "Vietnamese (Windows-1258)",
  macintosh: "Western European (Mac)",
  shift_jis: "Japanese (Shift JIS)",
  gb18030: "Chinese (GB 18030)",
  big5: "Chinese (Big5)",
  "euc-kr": "Korean (EUC-KR)",
} as const;
export type Encoding = keyof typeof ENCODINGS;

/**
 * Says how a text file is encoded: by its mark, as UTF-16 by its zero bytes, as UTF-8 if all of it is, as Shift JIS if all of it
 * is and it has kana, else Windows-1252.
 */
export function encodingOf(bytes: Uint8Array): Encoding {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  const zeros = [0, 0];
  for (const [at, byte] of bytes.subarray(0, SAMPLED_BYTES).entries())
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (odd > 2 * even) return "utf-16le";
  if (even > 2 * odd) return "utf-16be";
  if (strictlyDecoded(bytes, "utf-8") !== undefined) return "utf-8";
  const japanese = strictlyDecoded(bytes, "shift_jis") ?? "";
  return /[ぁ-んァ-ヶ]\p{L}|\p{L}[ぁ-んァ-ヶ]/u.test(japanese) ? "shift_jis" : "windows-1252";
}

function strictlyDecoded(bytes: Uint8Array, encoding: Encoding): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const SAMPLED_BYTES = 4_096;

/** Whether a text holds what no encoding writes on purpose: it was read by another than its own, or is damaged. */
export function isUnreadable(text: string): boolean {
  return /[\uFFFD\0\x80-\x84\x86-\x9f]/.test(text) || !text.isWellFormed();
}

/** Returns what to do with a file that holds no rows of text, by its first bytes and its name. */
export function refusalOf(name: string, bytes: Uint8Array): string | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 64))
    .replace(/^\xef\xbb\xbf/, "")
    .trimStart()
    .toLowerCase();
  const extension = /\.(\w+)$/.exec(name.toLowerCase())?.[1] ?? "";
  const kind = KINDS.find(
    ({ begins, named }) =>
      begins.some((one) => start.startsWith(one.toLowerCase())) && (named === undefined || named.test(extension)),
  );
  return kind && `This is ${kind.what}, not a CSV file. ${kind.advice}`;
}

type Kind = { begins: readonly string[]; named?: RegExp; what: string; advice: string };

/** Of a ZIP archive, which most documents are, and of the documents of Office before 2007. */
const ARCHIVE = ["pk\x03\x04", "\xd0\xcf\x11\xe0"];
const EXPORT = "Export it as CSV, and choose that file here.";
const UNPACK = "Unpack it, and choose the CSV file in it.";
const COPY = "Open it in a spreadsheet, save it as CSV, and choose that file here.";

const KINDS: readonly Kind[] = [
  {
    begins: ARCHIVE,
    named: /^numbers$/,
    what: "a Numbers document",
    advice: "In Numbers choose File, Export To, CSV, and choose that file here.",
  },
  {
    begins: ARCHIVE,
    named: /^od[st]$/,
    what: "a LibreOffice document",
    advice: "In LibreOffice choose File, Save As, Text CSV, and choose that file here.",
  },
  {
    begins: ARCHIVE,
    named: /^(xls\w?|csv|txt|tsv|)$/,
    what: "an Excel workbook",
    advice: "In Excel choose File, Save As, CSV UTF-8, and choose that file here.",
  },
  { begins: [...ARCHIVE, "\x1f\x8b"], named: /^(zip|gz)$/, what: "a compressed file", advice: UNPACK },
  { begins: [...ARCHIVE, "{\\rtf", "sqlite format"], what: "a document", advice: EXPORT },
  {
    begins: ["begin:vcard"],
    what: "an address book (vCard)",
    advice:
      "Import it in an address book that writes CSV, such as Thunderbird on your computer, and choose the CSV file here.",
  },
  { begins: ["%pdf"], what: "a PDF", advice: "Copy its table to a spreadsheet, save that as CSV, and choose it here." },
  { begins: ["<!doctype", "<html", "<table", "<?xml"], what: "a web page", advice: COPY },
  { begins: ['{"', "{\n", "{\r", "[{", "[\n", "[\r"], what: "a JSON file", advice: EXPORT },
  { begins: ["\x89png", "\xff\xd8\xff", "gif8"], what: "a picture", advice: "Choose the file that it shows." },
];
