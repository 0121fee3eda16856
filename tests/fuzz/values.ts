import fc, { type Arbitrary } from "fast-check";

/** What the grammar may name of a real workspace, so that requests get beyond the first check. */
export type Vocabulary = {
  apiKey: string;
  apiSecret: string;
  cookie: string;
  workspaceId: string;
  phoneNumberId: string;
  contactId: string;
  messageId: string;
  whatsappMessageId: string;
  whatsappPhoneNumberId: string;
  whatsappBusinessAccountId: string;
  templates: string[];
  /** Ids of the build's server actions. */
  actions: string[];
  /** Where the pages of the server are, which alone may act. */
  origin: string;
  /** A key of test mode, its session of `listen` and a delivery in it. */
  testKey: { apiKey: string; apiSecret: string };
  listener: string;
  deliveryId: string;
};

/** Words apart by blanks, as lists of paths and names are read best. */
export const wordsOf = (list: string): string[] => list.trim().split(/\s+/);

const NASTY = [
  "",
  " ",
  "\0",
  "\u0000a",
  "\ud800",
  "\udfff\ud800",
  "\ufeff",
  "\u202e",
  "👋".repeat(40),
  "é",
  "ẞ",
  "ﷺ",
  "a\u0301",
  "null",
  "undefined",
  "NaN",
  "true",
  "-0",
  "1e309",
  "9007199254740993",
  "__proto__",
  "constructor",
  "toString",
  "'",
  '"; drop table messages; --',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: some template engine would run it
  "${7*7}",
  "{{1}}",
  "{{constructor}}",
  "%00",
  "%n%s",
  "../../etc/passwd",
  "\\",
  "\r\nX: y",
  "<script>",
  "447700900123",
  "+44 7700 900123",
  "x".repeat(300),
  "9".repeat(40),
  "\t\n\v",
  "    ",
  "en_US",
  "order_ready",
];

export const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 3, arbitrary: fc.string({ maxLength: 30 }) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 500 }) },
);
const scalar: Arbitrary<unknown> = fc.oneof(
  text,
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e308, 2 ** 53, -0, Number.MAX_SAFE_INTEGER),
  fc.integer(),
);
export const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(text, tie("json"), { maxKeys: 4 }),
  ),
}));

/** A good value mostly, any other sometimes. */
export const mostly = (good: Arbitrary<unknown>, weight = 5): Arbitrary<unknown> =>
  fc.oneof({ weight, arbitrary: good }, { weight: 1, arbitrary: json });

export const record = (fields: Record<string, Arbitrary<unknown>>): Arbitrary<Record<string, unknown>> =>
  fc
    .tuple(
      fc.record(fields, { requiredKeys: [] }),
      fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, fc.dictionary(text, json, { maxKeys: 2 })),
    )
    .map(([known, unknown]) => ({ ...known, ...unknown }));

export const phone = fc.constantFrom(
  "447700900123",
  "+44 (7700) 900-124",
  "447700900125",
  "00447700900123",
  "07700900123",
  "1".repeat(16),
);
export const link = fc.constantFrom(
  "https://127.0.0.1/a.png",
  "http://[::1]/",
  "file:///etc/passwd",
  "//x",
  "https://user:p@x/",
  "http://0x7f.1/",
  "x:",
);
