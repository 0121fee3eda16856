import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Choices, type ContactFile, readContactFile } from "@/lib/contacts/contact-file";
import type { Dialling } from "@/lib/contacts/file-phone";
import { csvLine } from "@/lib/core/csv";

type Given = Choices & { name?: string };

const read = (text: string | Uint8Array, { name = "people.csv", ...choices }: Given = {}): ContactFile => {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const file = readContactFile({ name, bytes }, { country: null, ...choices });
  if ("refusal" in file) throw new Error(file.refusal);
  return file;
};
const people = (text: string | Uint8Array, given?: Given) =>
  read(text, given).rows.map((row) => ("phone" in row ? [row.phone, row.name] : row.reason));
const guesses = (text: string, given?: Given) =>
  read(text, given).rows.map((row) => ("phone" in row ? [row.phone, row.given] : row.reason));
/** What stands between commas, in lines of any length. */
const namesIn = (text: string) => text.trim().split(/,\s+/);
const file = (name: string) => readFileSync(new URL(`../files/${name}`, import.meta.url));

const ADA_AND_BOB = [
  ["447700900001", "Ada"],
  ["447700900002", "Bob"],
];

describe("a file of contacts", () => {
  test.each<[string, string]>([
    ["without headings, number first", "447700900001,Ada\n447700900002,Bob\n"],
    ["without headings, name first", "Ada,447700900001\nBob,447700900002\n"],
    ["with headings in any order", "Full name;Notes;Mobile\nAda;x;+44 7700 900001\nBob;;447700900002\n"],
    ["with tabs, CRLF and a byte order mark", "\uFEFFphone\tname\r\n447700900001\tAda\r\n447700900002\tBob"],
    ["with quotes around everything", '"phone","name"\n"447700900001","Ada"\n"447700900002","Bob"'],
    ["with empty lines", "phone,name\n\n447700900001,Ada\n,\n447700900002,Bob\n\n"],
    ["as a spreadsheet guards numbers", "phone,name\n'+447700900001,Ada\n'447700900002,Bob"],
    ["with another number before", "Customer no.,Name,Mobile\n49100234,Ada,447700900001\n49100235,Bob,447700900002"],
    ["with a phone in the last column", "Vorname\tHandy\nAda\t447700900001\nBob\t447700900002"],
    ["with headings that say nothing", "A,B,C\nx,Ada,447700900001\ny,Bob,447700900002\n"],
  ])("%s", (kind, text) => {
    const named = kind.includes("nothing") ? { names: [1] } : {};
    expect(people(text, named)).toEqual(ADA_AND_BOB);
  });

  test.each([
    ["English", "First Name,Last Name,Mobile Phone,Fax"],
    ["Spanish", "Nombre,Apellidos,Teléfono móvil,Fax"],
    ["Portuguese", "Nome,Sobrenome,Celular,CPF"],
    ["Hindi", "पहला नाम,उपनाम,मोबाइल नंबर,पिन"],
    ["Indonesian", "Nama Depan,Nama Belakang,Nomor HP,NIK"],
    ["Arabic", "الاسم الأول,اسم العائلة,رقم الجوال,العميل"],
    ["German", "Vorname,Nachname,Handynummer,Kundennummer"],
    ["French", "Prénom,Nom,Tél. portable,Télécopie"],
    ["Italian", "Nome,Cognome,Cellulare,Codice"],
    ["Turkish", "Ad,Soyad,Cep Telefonu,Müşteri No"],
    ["Russian", "Имя,Фамилия,Мобильный телефон,Факс"],
    ["Urdu", "پہلا نام,خاندانی نام,موبائل نمبر,گاہک"],
    ["Dutch", "Voornaam,Achternaam,Mobiel,Klantnummer"],
    ["Japanese", "名,姓,携帯電話,電話番号"],
    ["Chinese", "名,姓,手机,电话"],
    ["Bengali", "প্রথম নাম,শেষ নাম,মোবাইল নম্বর,গ্রাহক"],
  ])("with headings in %s has its columns found, and first and last names joined", (_language, headings) => {
    // The other number can be called, too.
    const row = "Ada,Lovelace,447700900001,447700900009";
    expect(people(`${headings}\n${row}`)).toEqual([["447700900001", "Ada Lovelace"]]);
    const turned = [headings, row].map((line) => line.split(",").toReversed().join(","));
    expect(people(turned.join("\n"))).toEqual([["447700900001", "Ada Lovelace"]]);
  });

  test("shows each column with its heading and three samples, and takes those that are chosen", () => {
    const text =
      "Name,Home,Mobile\nAda,447700900001,447700900002\nBob,,447700900003\nCid,,447700900004\nDan,,447700900005";
    const samples = ["447700900002", "447700900003", "447700900004"];
    expect(read(text).columns[2]).toEqual({ index: 2, heading: "Mobile", samples });
    expect(people(text, { phone: 1, names: [] }).slice(0, 2)).toEqual([["447700900001", null], "Phone is missing."]);
    const { rows, columns } = read(text, { hasHeading: false });
    expect(rows).toHaveLength(5);
    expect(columns.map(({ heading }) => heading)).toEqual(["Column A", "Column B", "Column C"]);
  });

  test("finds the column of names that only few rows have, of many", () => {
    const rows = Array.from({ length: 2_000 }, (_, at) => `${447_700_910_000 + at},`);
    expect(people(["phone,name", ...rows, "447700900001,Ada"].join("\n")).at(-1)).toEqual(["447700900001", "Ada"]);
  });

  test("a name may hold separators, quotes and line breaks; none is no name", () => {
    expect(people('phone,name\n447700900001,"Love""lace, Ada\nCountess"\n447700900002,\n447700900003')).toEqual([
      ["447700900001", 'Love"lace, Ada\nCountess'],
      ["447700900002", null],
      ["447700900003", null],
    ]);
  });

  test("another phone column counts where the first is empty, in its order, unless it is another person's", () => {
    const text = [
      "Name,Home phone,Mobile phone,Work phone,Fax,Emergency contact phone,Shipping phone",
      "Ada,447700900011,447700900001,447700900021,447700900031,447700900041,447700900051",
      "Bob,447700900012,,447700900022,,447700900042,",
      "Cid,,n/a,447700900023,,447700900043,",
      "Dan,,,,447700900034,447700900044,447700900054",
      "Eve,,0123,447700900025,,,",
      "Fay,447700900016,447700900006,,,,",
    ].join("\n");
    const expected = [
      ["447700900001", "Ada"],
      ["447700900022", "Bob"],
      ["447700900023", "Cid"],
      "Phone is missing.",
      expect.stringContaining("0123"),
      ["447700900006", "Fay"],
    ];
    expect(people(text)).toEqual(expected);
    expect(read(text)).toMatchObject({ phone: 2, otherPhones: [3, 1] });
    expect(people(text, { phone: 2, otherPhones: [1] })[1]).toEqual(["447700900012", "Bob"]);
    expect(people(text, { phone: 2, otherPhones: [] })[1]).toBe("Phone is missing.");
  });

  test("other phone columns count before the country of their national numbers is chosen, too", () => {
    const text = "Name;Mobiltelefon;Telefon privat;Kundennummer\nAda;0171 3920012;;01000001\nBob;;030 901820;01000002";
    expect(read(text)).toMatchObject({ phone: 1, otherPhones: [2] });
    expect(people(text)[1]).toContain("national number");
  });

  test.each(
    namesIn(`
      Husband Mobile, Father's Mobile, Telefon Ansprechpartner, Ansprechpartner Handy, Notfallkontakt Telefon,
      Telefon Zentrale, Driver phone, Contact person phone, Salesperson phone, Referred by phone,
      Next of kin phone number, Teléfono de la madre, Tel. de l'assistante, Telefone do responsável,
      Telefono della moglie, Anne cep telefonu, Телефон мамы, هاتف الأب, पिता का मोबाइल, 保護者の電話番号, 父亲 手机
    `),
  )("a number below %s is not the row's, however few the others are", (heading) => {
    const rows = Array.from({ length: 20 }, (_, at) => `P${at},,${447_700_900_100 + at}`);
    for (const own of ["Mobile", "Phone", "Handy"]) {
      const text = [`Name,${own},${heading}`, "A,,+493012345678", ...rows].join("\n");
      expect(read(text)).toMatchObject({ phone: 1, otherPhones: [] });
      expect(people(text)).toEqual(Array.from({ length: 21 }, () => "Phone is missing."));
      expect(read(`${text}\nB,447700900001,`)).toMatchObject({ phone: 1, otherPhones: [] });
    }
  });

  test.each(
    namesIn(`
      Home phone, Home Phone 2, Business Phone, Phone 2 - Value, Billing Phone, Default Address Phone,
      Telefon (privat), Telefon geschäftlich, Téléphone (domicile), Teléfono de casa, Telefone comercial,
      Telefono ufficio, İş telefonu, Рабочий телефон, هاتف العمل, Telepon rumah, Telefoon werk
    `),
  )("a number below %s counts where the phone is empty, and says from where", (heading) => {
    const { phone, rows } = read(`Name,Mobile,${heading}\nAda,447700900001,\nBob,,447700900002`);
    expect(phone).toBe(1);
    expect(rows).toMatchObject([
      { phone: "447700900001", from: null, given: null },
      { phone: "447700900002", from: 2, given: null },
    ]);
  });

  test("a name below another person's heading is not the row's, however few the others are", () => {
    const text = "Name,Husband Name,Mobile\nAda,Bob,447700900001\n,Cid,447700900002\n,Dan,447700900003";
    expect(people(text).map(([, name]) => name)).toEqual(["Ada", null, null]);
  });

  test("a row whose number stands in a row before says in which, however each is written", () => {
    const text = "phone,name\n+44 7700 900001,Ada\n,Bob\n447700900001,Ada L.\n447700900002,Cid\n0044 7700 900001,Ada";
    expect(read(text).rows.map((row) => ("sameAs" in row ? row.sameAs : row.reason))).toEqual([
      null,
      "Phone is missing.",
      2,
      null,
      2,
    ]);
  });

  test("a row that cannot be taken has its number in a spreadsheet and the reason, and the others are taken", () => {
    const { rows } = read('name,phone\n"Ada\nLovelace",447700900001\nBob,07700900002\n\nCid,\nDan,447700900004\n');
    expect(rows.map(({ row }) => row)).toEqual([2, 3, 5, 6]);
    expect(rows.flatMap((row) => ("reason" in row ? [row.reason] : []))).toEqual([
      expect.stringContaining("national number"),
      "Phone is missing.",
    ]);
  });

  test("a row without a person has the name of its firm, unless no names are wanted", () => {
    const text =
      "Vorname;Nachname;Firma;Handy\nAda;Groß;Café Ost;447700900001\n;;Café Süd;447700900002\n;;;447700900003";
    const names = (given: Given = {}) => people(text, given).map(([, name]) => name);
    expect(names()).toEqual(["Ada Groß", "Café Süd", null]);
    expect(names({ names: [] })).toEqual([null, null, null]);
  });

  test("a row that is left out keeps its name and its cell, by which people know whose it is", () => {
    const text = "First name,Last name,Mobile\nAda,Groß,22456\nBob,,\n";
    expect(read(text, { country: "DE" }).rows).toMatchObject([
      { row: 2, name: "Ada Groß", given: "22456" },
      { row: 3, name: "Bob", given: "" },
    ]);
  });

  test("a name has 200 characters at most, whatever each of them is made of", () => {
    const [whole, tooLong] = ["🌺".repeat(200), "🌺".repeat(201)];
    expect(people(`phone,name\n447700900001,${whole}\n447700900002,${tooLong}`)).toEqual([
      ["447700900001", whole],
      "The name has more than 200 characters.",
    ]);
  });

  test("gives back what was written, and has a row or a reason for each line, whatever country is chosen", () => {
    const name = fc.string({ unit: fc.constantFrom(...'aB ,;"\n=é🙂'), maxLength: 12 });
    const rows = fc.array(fc.tuple(fc.integer({ min: 10_000_000, max: 999_999_999 }), name), { maxLength: 8 });
    const country = fc.constantFrom<Dialling["country"]>(null, "DE", "US", "IN");
    fc.assert(
      fc.property(rows, country, (given, chosen) => {
        const lines = given.map(([phone, text]) => csvLine([String(phone), text.trimStart()]));
        const text = ["phone,name\r\n", ...lines].join("");
        expect(people(text)).toEqual(given.map(([phone, one]) => [String(phone), one.trim() || null]));
        expect(read(text, { country: chosen }).rows).toHaveLength(given.length);
      }),
    );
  });
});

describe("bytes", () => {
  const TEXT = "Name;Phone\nZoë Müller;447700900001\nŁukasz €;447700900002\n";
  const PEOPLE = [
    ["447700900001", "Zoë Müller"],
    ["447700900002", "Łukasz €"],
  ];
  const utf16 = (text: string, isBig = false) => {
    const bytes = Buffer.from(text, "utf16le");
    return isBig ? bytes.swap16() : bytes;
  };

  test.each([
    ["utf-8", new TextEncoder().encode(TEXT)],
    ["utf-8", new TextEncoder().encode(`\uFEFF${TEXT}`)],
    ["utf-16le", utf16(`\uFEFF${TEXT}`)],
    ["utf-16be", utf16(`\uFEFF${TEXT}`, true)],
    ["utf-16le", utf16(TEXT)],
    ["utf-16be", utf16(TEXT, true)],
  ])("in %s are recognised: %#", (encoding, bytes) => {
    expect(read(bytes).encoding).toBe(encoding);
    expect(people(bytes)).toEqual(PEOPLE);
  });

  test("in Windows-1252 are recognised where they are no UTF-8, with the signs that Latin-1 lacks", () => {
    const bytes = Buffer.from("Name;Phone\nZo\xeb \x80 \x8alen d\x92Arc;447700900001\n", "latin1");
    expect(read(bytes).encoding).toBe("windows-1252");
    expect(people(bytes)).toEqual([["447700900001", "Zoë € Šlen d’Arc"]]);
  });

  test("in Shift JIS are recognised by their kana, and Windows-1252 never is taken for it", () => {
    expect(read(file("excel-ja.csv")).encoding).toBe("shift_jis");
    const letters = fc.string({ unit: fc.constantFrom(..."äöüßéèçñÄÖÜ€’“” aA;\n"), maxLength: 60 });
    const codes = new Map([..."€’“”"].map((letter, at) => [letter, [0x80, 0x92, 0x93, 0x94][at] ?? 0]));
    fc.assert(
      fc.property(letters, (text) => {
        const bytes = Uint8Array.from(text, (letter) => codes.get(letter) ?? letter.charCodeAt(0));
        expect(read(bytes).encoding).not.toBe("shift_jis");
      }),
    );
  });

  test("in another encoding are read by the one that is chosen", () => {
    const bytes = Buffer.from("Name;Phone\n\xc0\xed\xed\xe0;447700900001\n", "latin1");
    expect(people(bytes, { encoding: "windows-1251" })).toEqual([["447700900001", "Анна"]]);
  });

  test.each([
    ["a character that was lost before", new TextEncoder().encode("phone,name\n447700900001,M\uFFFDller"), {}],
    ["Windows-1252 read as UTF-8", Buffer.from("phone,name\n447700900001,M\xfcller", "latin1"), { encoding: "utf-8" }],
    ["DOS read as Windows-1252", Buffer.from("phone,name\n447700900001,M\x81ller", "latin1"), {}],
    ["UTF-16 read as UTF-8", utf16("phone,name\n447700900001,Ada"), { encoding: "utf-8" }],
  ] as const)("that cannot be read are never a name: %s", (_name, bytes, choices) => {
    for (const row of read(bytes, choices).rows) expect("reason" in row).toBe(true);
  });

  test.each([
    ["people.xlsx", "PK\x03\x04", "an Excel workbook"],
    ["people.csv", "PK\x03\x04", "an Excel workbook"],
    ["people.xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook"],
    ["people.numbers", "PK\x03\x04", "a Numbers document"],
    ["people.ods", "PK\x03\x04", "a LibreOffice document"],
    ["people.docx", "PK\x03\x04", "a document"],
    ["people.vcf", "BEGIN:VCARD\r\nVERSION:3.0", "an address book (vCard)"],
    ["people.pdf", "%PDF-1.7", "a PDF"],
    ["people.xls", "<html><table>", "a web page"],
    ["people.json", '[{"phone":"447700900001"}]', "a JSON file"],
  ])("%s that begin with %j are refused with what to do", (name, start, what) => {
    const file = readContactFile({ name, bytes: Buffer.from(start, "latin1") }, { country: null });
    expect(file).toEqual({ refusal: expect.stringMatching(/ not a CSV file\. \w.+\.$/) });
    expect("refusal" in file && file.refusal).toContain(`This is ${what},`);
  });

  test("of any kind never throw, and every name is one that can be stored", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.constantFrom("people.csv", "people.xlsx"), (bytes, name) => {
        const file = readContactFile({ name, bytes }, { country: "DE" });
        if ("refusal" in file) return;
        for (const row of file.rows) {
          if ("phone" in row) {
            expect(row.phone).toMatch(/^[1-9]\d{6,14}$/);
            expect(row.name ?? "").not.toMatch(/[\uFFFD\0]/);
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("a number of a file", () => {
  const one = (cell: string, given: Given) =>
    guesses(`${csvLine(["phone"])}"${cell.replaceAll('"', '""')}"\n`, given)[0];

  test.each<[string, Dialling["country"], string]>([
    ["0151 23456789", "DE", "4915123456789"],
    ["0171/3920012", "DE", "491713920012"],
    ["+49 (0)171 3920012", "DE", "491713920012"],
    ["+49 (0)171 3920012", null, "491713920012"],
    ["0033 6 39 98 12 34", "DE", "33639981234"],
    ["0033 6 39 98 12 34", "US", "33639981234"],
    ["0033 6 39 98 12 34", null, "33639981234"],
    ["011 44 7700 900001", "US", "447700900001"],
    ["06.39.98.12.34", "FR", "33639981234"],
    ["07700 900001", "GB", "447700900001"],
    ["(202) 555-0123", "US", "12025550123"],
    ["(11) 91234-5678", "BR", "5511912345678"],
    ["612345678", "ES", "34612345678"],
    ["06 12345678", "IT", "390612345678"],
    ["98765 43210", "IN", "919876543210"],
    ["0812-3456-7890", "ID", "6281234567890"],
    ["8 (900) 123-45-67", "RU", "79001234567"],
    ["٠٥٠١٢٣٤٥٦٧", "SA", "966501234567"],
    ["'0151 23456789", "DE", "4915123456789"],
    ["=+49 171 3920044", null, "491713920044"],
    ["=+49 171 3920044", "DE", "491713920044"],
    ['="015123456789"', "DE", "4915123456789"],
    ['="447700900001"', null, "447700900001"],
    ["447700900001.0", null, "447700900001"],
    ["447700900001,00", "DE", "447700900001"],
    ["+44 7700 900001 ::: +44 20 7946 0123", null, "447700900001"],
    ["home ::: 0151 23456789", "DE", "4915123456789"],
    ["n/a; 0151 23456789", "DE", "4915123456789"],
    ["07700 900001 / 07700 900002", "GB", "447700900001"],
    ["0151 23456789/0151 98765432", "DE", "4915123456789"],
    ["+44 7700 900001 or +44 7700 900002", null, "447700900001"],
    ["+44 7700 900001 | +44 7700 900002", null, "447700900001"],
    ["0171 / 3920012", "DE", "491713920012"],
    ["(415) 555-2671", "US", "14155552671"],
    ["415-555-2671", "US", "14155552671"],
    ["415.555.2671", "CA", "14155552671"],
    ["(604) 555-2671", "US", "16045552671"],
    ["4155552671", "US", "14155552671"],
    ["4155552671", null, "4155552671"],
    ["9876543210", null, "9876543210"],
    ["13812345678", null, "13812345678"],
    ["15228817386", "GB", "15228817386"],
    ["33639981234", "GB", "33639981234"],
  ])("%s is completed in a file of %s, and shown as it was", (cell, country, phone) => {
    expect(one(cell, { country })).toEqual([phone, cell.trim()]);
  });

  test.each<[string, Dialling["country"]]>([
    ["+44 7700 900001", null],
    ["447700900001", null],
    ["447700900001", "DE"],
    ["447700900001", "US"],
    ["447700900001", "GB"],
    ["\u202a+44\u00a07700\u00a0900001\u202c", null],
    ["+447700900001", "US"],
    ["447700900001", "FR"],
    ["tel:+447700900001", "FR"],
    ["whatsapp:+447700900001", "FR"],
    ["p:+447700900001", "FR"],
  ])("%s has its country code, also in a file of %s", (cell, country) => {
    expect(one(cell, { country })).toEqual(["447700900001", null]);
  });

  test.each<[string, Dialling["country"], RegExp]>([
    ["0151 23456789", null, /national number/],
    ["4.91512E+12", "DE", /lost its last digits in a spreadsheet/],
    ["4,91512E+12", "DE", /lost its last digits/],
    ["0151", "DE", /is not a number of Germany/],
    ["22456", "DE", /5 digits are too few\. Look up the whole number\.$/],
    ["415-555-267", "US", /9 digits are too few/],
    ["07700 900001 (work)", "GB", /Keep only the number in the cell\.$/],
    ["07700 900001 23", "GB", /13 digits are too many/],
    ["+49 1713920033/34", "DE", /is short for several numbers/],
    ["030 901820/21", "DE", /is short for several numbers/],
    ["030 / 901820 / 1", "DE", /is short for several numbers/],
    ["447700900001 DE", null, /holds the letter D\. Write country code and digits/],
    ["0171 39200", "DE", /is not a number of Germany\. If it is of another country/],
    ["0171 392000412", "DE", /is not a number of Germany\./],
    ["(415) 555-2671", null, /has no country code\. Choose the country of national numbers/],
    ["415-555-2671", null, /has no country code/],
    ["(604) 123-4567", null, /has no country code/],
    ["(11) 91234-5678", null, /has no country code/],
    ["98765 43210", null, /has no country code/],
    ["(415) 555-2671", "GB", /is not a number of United Kingdom/],
    ["(604) 123-4567", "GB", /is not a number of United Kingdom/],
    ["4155552671", "GB", /is not a number of United Kingdom/],
    ["++447700900001", null, /has 2 plus signs/],
    ["0151 2345678 ext. 9", "DE", /is not a number of Germany/],
    ["call 0151 23456789 today", "DE", /is not a number of Germany/],
    ["01711234567", "GB", /is not a number of United Kingdom/],
    ["2026-10-01", "DE", /is a date/],
    ["12.05.2026", "DE", /is a date/],
    ["Mobile", null, /the letter M/],
  ])("%s is left out of a file of %s, with the reason", (cell, country, reason) => {
    expect(one(cell, { country })).toMatch(reason);
  });

  test.each([
    ["+44 7700 900001 ::: +44 20 7946 0123", true],
    ["07700 900001 or 07700 900002", true],
    ["07700 900001; +44 20 79", true],
    ["07700 900001 ::: home", false],
    ["07700 900001;", false],
  ])("%s says if another of its cell is left out: %s", (cell, hasMore) => {
    const notes = hasMore ? ["Another number in its cell is left out."] : [];
    expect(read(`phone\n"${cell}"`, { country: "GB" }).rows).toMatchObject([{ phone: "447700900001", notes }]);
  });

  test("that may be with and without its country code is left out until the owner chooses", () => {
    const text = "phone\n15123456789\n";
    expect(guesses(text, { country: "DE" })).toEqual([
      expect.stringContaining("may be +15123456789 or +4915123456789"),
    ]);
    expect(guesses(text, { country: "DE", bare: "national" })).toEqual([["4915123456789", "15123456789"]]);
    expect(guesses(text, { country: "DE", bare: "international" })).toEqual([["15123456789", null]]);
    expect(guesses(`${text}15112345678\n1632345678\n`, { country: "DE" })).toHaveLength(3);
  });

  test("that is the same with and without its country code is no choice", () => {
    const text = "phone\n14155552671\n6598234567\n";
    expect(guesses(text, { country: "US", bare: null })).toEqual([
      ["14155552671", null],
      expect.stringContaining("may be +6598234567 or +16598234567"),
    ]);
  });

  test("without a plus is national where the others of its column can only be", () => {
    const text = "phone\n2025550123\n4155550123\n3255550123\n";
    expect(guesses(text, { country: "US" })).toEqual([
      ["12025550123", "2025550123"],
      ["14155550123", "4155550123"],
      ["13255550123", "3255550123"],
    ]);
  });
});

describe("the country of a file's national numbers", () => {
  const countryOf = (text: string, line: Dialling["country"]) => {
    const file = readContactFile({ name: "people.csv", bytes: new TextEncoder().encode(text) }, { line });
    return "refusal" in file ? file.refusal : file.country;
  };

  test.each<[string, string, Dialling["country"], Dialling["country"]]>([
    ["that of the lines, if nothing speaks against it", "phone,name\n07700 900001,Ada", "GB", "GB"],
    ["that of the lines, without headings", "07700 900001,Ada", "GB", "GB"],
    ["to be chosen, without lines", "phone,name\n07700 900001,Ada", null, null],
    ["to be chosen, if the headings are of another language", "Vorname;Telefon\nAda;0170 0000005", "GB", null],
    ["that of the lines, if it speaks the language", "Vorname;Telefon\nAda;0170 0000005", "AT", "AT"],
    ["that of the lines, if it speaks one of the languages", "Name;Telefon\nAda;070 000 00 05", "SE", "SE"],
    ["that of the lines, if it speaks two languages", "Prénom;Téléphone\nAda;0470 00 00 05", "BE", "BE"],
    ["to be chosen, if the headings are Chinese", "姓名,手机\n王,13812345678", "GB", null],
    ["to be chosen, if the letters are of another language", "氏名,電話番号\nAda,090-0000-0005", "GB", null],
    ["that of the lines, if it has the letters", "氏名,電話番号\nAda,090-0000-0005", "JP", "JP"],
    [
      "that of the headings and the other numbers",
      "Vorname;Telefon\nAda;0170 0000005\nBob;+49 171 3920012",
      "GB",
      "DE",
    ],
    ["to be chosen, if only the others disagree", "name,phone\nAda,0170 0000005\nBob,+49 171 3920012", "GB", null],
    ["that of the lines, if the other numbers agree", "name,phone\nAda,07700 900002\nBob,+44 7700 900001", "GB", "GB"],
    ["that of the other numbers, without lines", "name,phone\nAda,07700 900002\nBob,+44 7700 900001", null, "GB"],
    ["of North America, if they are written so", "name,phone\nAda,(415) 555-2671", null, "US"],
    ["that of the lines, if it shares its code", "name,phone\nAda,(604) 555-2671", "CA", "CA"],
    ["to be chosen, if they are written so elsewhere", "name,phone\nAda,(415) 555-2671", "GB", null],
    ["that which a column names", "name,phone,Country code\nAda,(415) 555-2671,us\nBob,415-555-2672,US", "GB", "US"],
    ["that which a column names in English", "name,phone,Country/Region\nAda,0170 0000005,Germany", "GB", "DE"],
    [
      "that which few rows name, if it is the language's own",
      "Vorname;Handy;Land\nAda;0171 3920012;\nBob;0171 3920013;\nCid;0171 3920014;Deutschland",
      "GB",
      "DE",
    ],
    [
      "to be chosen, if few rows name an exception",
      "Vorname;Handy;Land\nAda;0171 3920012;\nBob;0171 3920013;\nCid;0791234567;Schweiz",
      "GB",
      null,
    ],
    [
      "to be chosen, if few rows name one in English",
      "name,phone,country\nAda,0170 0000005,\nBob,0170 0000006,\nCid,0170 0000007,DE",
      null,
      null,
    ],
    ["that of the lines, if it names many", "name,phone,country\nAda,07700 900002,US\nBob,07700 900003,FR", "GB", "GB"],
  ])("is proposed as %s: %j", (_what, text, line, country) => {
    expect(countryOf(text, line)).toBe(country);
  });

  test("and a number that may be two has a sample of both", () => {
    const both = { given: "15123456789", international: "15123456789", national: "4915123456789" };
    expect(read("phone\n15123456789", { country: "DE" }).sample).toEqual({ country: "DE", ...both });
    expect(read("phone\n447700900001", { country: "DE" }).sample).toBeNull();
  });
});

describe("the country that a row names", () => {
  const DE = ["0171 3920012,DE", "0171 3920013,Germany", "0171 3920014,Deutschland"];
  const last = (row: string, { head = "phone,country", ...given }: Given & { head?: string } = {}) =>
    guesses([head, ...DE, row].join("\n"), given).at(-1);

  test.each([
    ["0791234567,CH", "41791234567"],
    ["0791234567,ch", "41791234567"],
    ["0791234567,Switzerland", "41791234567"],
    ["0791234567,SCHWEIZ", "41791234567"],
    ["0791234567,Suisse (+41)", "41791234567"],
    ["791234567,+41", "41791234567"],
    ["791234567,0041", "41791234567"],
    ["791234567,41", "41791234567"],
    ["0470123456,Belgique", "32470123456"],
    ["0470123456,Bélgica", "32470123456"],
    ["0211234567,New Zealand", "64211234567"],
    ["4155552671,US", "14155552671"],
    ["4155552671,U.S.A.", "14155552671"],
    ["07700 900001,UK", "447700900001"],
    ["06 12345678,イタリア", "390612345678"],
    ["8 (900) 123-45-67,Россия", "79001234567"],
  ])("completes its number, and no other: %s", (row, phone) => {
    for (const country of [undefined, "DE", "FR", "IN", null] as const)
      expect(last(row, { country })).toEqual([phone, row.split(",")[0]]);
  });

  test.each(["Country code", "Country/Region", "Billing Country", "Land", "País", "国家", "Calling code"])(
    "stands below a heading such as %s",
    (heading) => {
      expect(last("0791234567,CH", { head: `Phone,${heading}`, country: "DE" })).toEqual(["41791234567", "0791234567"]);
    },
  );

  test.each([
    ["0171 3920012,CH", 'The row says Switzerland: "0171 3920012" is not a number of Switzerland'],
    ["0791234567,Atlantis", 'The row says "Atlantis", which is not read as one country. Write a code such as CH there'],
    ["0791234567,AQ", 'The row says "AQ"'],
    ["791234567,999", 'The row says "999"'],
    ["4155552671,Atlantis", 'The row says "Atlantis"'],
    ["0791234567,Kongo", 'The row says "Kongo"'],
    ["0791234567,Switzerland (+49)", 'The row says "Switzerland (+49)"'],
  ])("that has no such number, or cannot be read, leaves it out: %s", (row, reason) => {
    for (const country of ["DE", "CH", null] as const)
      expect(last(row, { country })).toEqual(expect.stringContaining(reason));
  });

  test("stands in a column of names without a heading, too, which is no name of a person", () => {
    const rows = ["0171 3920012,Germany,Ada", "0171 3920013,Deutschland,Bob", "0791234567,Switzerland,Cid"];
    const { countries, names, rows: read3 } = read(rows.join("\n"), { country: "DE" });
    expect([countries, names]).toEqual([[1], []]);
    expect(read3.at(-1)).toMatchObject({ phone: "41791234567", given: "0791234567", name: null });
    // Two letters may be a state.
    expect(read("4155552671,DE\n4155552672,CA", { country: "US" }).rows[0]).toMatchObject({ phone: "14155552671" });
  });

  test.each(["Phone number (with country code)", "WhatsApp incl. country code"])("is not that of %s", (heading) => {
    const { phone, countries, rows } = read(`Name,${heading}\nAda,+447700900001`, { country: "DE" });
    expect([phone, countries]).toEqual([1, []]);
    expect(rows).toMatchObject([{ phone: "447700900001", name: "Ada" }]);
  });

  test("is two where its columns disagree, and is not that of a delivery", () => {
    const head = "phone,country,calling code,shipping country";
    expect(last("0791234567,CH,+41,DE", { head, country: "DE" })).toEqual(["41791234567", "0791234567"]);
    expect(last("0791234567,CH,+49,", { head, country: "DE" })).toContain('The row says "CH, +49"');
  });

  test.each(["0171 3920015,", "0171 3920015,-", "0171 3920015,n/a", "0171 3920015"])(
    "is that of the file where it names none: %j",
    (row) => {
      expect(last(row, { country: undefined })).toEqual(["491713920015", "0171 3920015"]);
      expect(last(row, { country: "CH" })).toContain("is not a number of Switzerland");
    },
  );

  test.each(["CH", "Atlantis", "+41", "DE"])("changes no number that has its country code: %s", (country) => {
    for (const phone of ["+44 7700 900001", "447700900001"])
      expect(last(`${phone},${country}`)).toEqual(["447700900001", null]);
  });

  test("decides for its row alone how a number without a plus is meant", () => {
    const rows = ["phone,country", "15123456789,DE", "2025550123,US", "14155552671,US"].join("\n");
    expect(guesses(rows, { country: "IN" })).toEqual([
      expect.stringContaining("may be +15123456789 or +4915123456789"),
      ["12025550123", "2025550123"],
      ["14155552671", null],
    ]);
    expect(read(rows, { country: "IN" }).sample).toMatchObject({ given: "15123456789", country: "DE" });
  });
});

describe("who does not accept marketing", () => {
  test.each(
    namesIn(`
      Accepts SMS Marketing: no, Accepts Email Marketing: No, Werbung erlaubt: nein, Newsletter: FALSE, Opt-in: 0,
      Unsubscribed: yes, Opt out: x, Keine Werbung: ja, Consentement: non, Acepta publicidad: No,
      Aceita publicidade: não, Consenso marketing: no, Ticari ileti izni: hayır, Согласие: нет, Toestemming: nee,
      Marketing status: Unsubscribed, Do not contact: 2026-10-01, マーケティング同意 同意: いいえ
    `),
  )("is read from %s", (one) => {
    const [heading, cell] = one.split(": ");
    const text = `Name,Mobile,${heading}\nAda,447700900001,${cell}\nBob,447700900002,\nCid,22,${cell}`;
    const { rows, refused, names, otherPhones } = read(text);
    const said = `Does not accept marketing in "${heading}".`;
    expect(rows).toMatchObject([{ isRefused: true, notes: [said] }, { isRefused: false, notes: [] }, { row: 4 }]);
    expect([[...refused], names, otherPhones]).toEqual([[[2, 2]], [0], []]);
    expect(people(text, { leavesOutRefused: true }).slice(0, 2)).toEqual([said, ["447700900002", "Bob"]]);
  });

  test.each(
    namesIn(`
      Accepts SMS Marketing: yes, Werbung erlaubt: ja, Opt-in: 2026-10-01, Unsubscribed: no, Unsubscribed: n/a,
      Opt out: FALSE
    `),
  )("is nobody by %s, and the file still says that it has the column", (one) => {
    const [heading, cell] = one.split(": ");
    const { rows, refused } = read(`Name,Mobile,${heading}\nAda,447700900001,${cell}`);
    expect([rows, [...refused]]).toMatchObject([[{ isRefused: false, notes: [] }], [[2, 0]]]);
  });

  test.each(["Notes: no", "No: no", "Tags: newsletter", "Accepts calls: no"])("is not read from %s", (one) => {
    const [heading, cell] = one.split(": ");
    expect(read(`Name,Mobile,${heading}\nAda,447700900001,${cell}`).refused.size).toBe(0);
  });
});

describe("files that people have", () => {
  test.each<[string, Dialling["country"], { encoding: string; separator: string }]>([
    ["google-en.csv", "GB", { encoding: "utf-8", separator: "," }],
    ["google-de.csv", "DE", { encoding: "utf-8", separator: "," }],
    ["outlook-en.csv", "GB", { encoding: "utf-8", separator: "," }],
    ["outlook-fr.csv", "FR", { encoding: "windows-1252", separator: ";" }],
    ["shopify.csv", "GB", { encoding: "utf-8", separator: "," }],
    ["woocommerce.csv", "US", { encoding: "utf-8", separator: "," }],
    ["hubspot.csv", "GB", { encoding: "utf-8", separator: "," }],
    ["excel-unicode.txt", "GB", { encoding: "utf-16le", separator: "\t" }],
    ["excel-de.csv", "DE", { encoding: "windows-1252", separator: ";" }],
    ["libreoffice.csv", "DE", { encoding: "utf-8", separator: "," }],
    ["excel-ja.csv", "JP", { encoding: "shift_jis", separator: "," }],
    ["shopify-orders.csv", "GB", { encoding: "utf-8", separator: "," }],
    ["outlook-com.csv", "US", { encoding: "utf-8", separator: "," }],
    ["mailchimp.csv", "GB", { encoding: "utf-8", separator: "," }],
    ["numbers-only.txt", "GB", { encoding: "utf-8", separator: "\t" }],
  ])("%s", async (name, country, how) => {
    const bytes = file(name);
    const contacts = read(bytes, { name, country });
    expect(contacts).toMatchObject(how);
    const lines = contacts.rows.map((row) =>
      "phone" in row ? [row.row, row.phone, row.name, row.given ?? ""].join(" | ") : `${row.row} | ${row.reason}`,
    );
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`../files/read/${name}.txt`);
  });
});
