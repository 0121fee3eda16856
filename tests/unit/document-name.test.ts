import fc from "fast-check";
import { expect, test } from "vitest";
import { documentName } from "@/lib/media/document-name";

const LINK = "https://cdn.example/invoices/42.pdf?signature=abc";

/** A header as Node reads its UTF-8 bytes. */
const header = (text: string) => Buffer.from(text).toString("latin1");

test.each([
  ["the last part of the path", LINK, undefined, "42.pdf"],
  ["decoded", "https://cdn.example/Rechnung%20M%C3%BCller.pdf", undefined, "Rechnung Müller.pdf"],
  ["with the extension that is missing", "https://cdn.example/invoice-42", undefined, "invoice-42.pdf"],
  ["with the extension in one spelling", "https://cdn.example/INVOICE.PDF", undefined, "INVOICE.pdf"],
  ["before a slash at the end", "https://cdn.example/invoice-42/", undefined, "invoice-42.pdf"],
  ["where there is no path", "https://cdn.example", undefined, "document.pdf"],
  ["where there is nothing but an extension", "https://cdn.example/.pdf", undefined, "document.pdf"],
  ["where it cannot be decoded", "https://cdn.example/%E0%A4%A.pdf", undefined, "%E0%A4%A.pdf"],
  ["the host's own name", LINK, 'attachment; filename="Invoice 42.pdf"', "Invoice 42.pdf"],
  ["a token", LINK, "attachment; filename=invoice.pdf", "invoice.pdf"],
  ["escaped quotes", LINK, 'inline; filename="a \\"b\\".pdf"', 'a "b".pdf'],
  ["the encoded form first", LINK, "attachment; filename=\"x.pdf\"; filename*=UTF-8''M%C3%BCller.pdf", "Müller.pdf"],
  ["raw UTF-8", LINK, header('attachment; filename="Rechnung März.pdf"'), "Rechnung März.pdf"],
  ["raw UTF-8 beyond Latin letters", LINK, header("attachment; filename=請求書.pdf"), "請求書.pdf"],
  ["raw Latin-1", LINK, 'attachment; filename="Rechnung März.pdf"', "Rechnung März.pdf"],
  ["raw Windows-1252", LINK, 'attachment; filename="5 \x80 \x96 M\xe4rz.pdf"', "5 € – März.pdf"],
  ["percent-encoded UTF-8", LINK, 'attachment; filename="Rechnung%20M%C3%A4rz.pdf"', "Rechnung März.pdf"],
  ["a percent sign", LINK, 'attachment; filename="100 % März.pdf"', "100 % März.pdf"],
  ["RFC 5987 in UTF-8, with a language", LINK, "attachment; filename*=utf-8'de'M%c3%a4rz.pdf", "März.pdf"],
  ["RFC 5987 in Latin-1", LINK, "attachment; filename*=ISO-8859-1''M%E4rz.pdf; filename=x.pdf", "März.pdf"],
  ["RFC 5987 that is broken", LINK, "attachment; filename=x.pdf; filename*=UTF-8''M%E4rz.pdf", "x.pdf"],
  ["a quoted semicolon", LINK, 'attachment; filename="a;b.pdf"; size=3', "a;b.pdf"],
  ["spaces without quotes", LINK, "attachment; filename=Invoice 42.pdf ; size=3", "Invoice 42.pdf"],
  ["spaces around signs, and capitals", LINK, 'ATTACHMENT ; FileName = "x.pdf"', "x.pdf"],
  ["another parameter's name", LINK, 'attachment; xfilename="x.pdf"; name="filename=y.pdf"', "42.pdf"],
  ["no type", LINK, 'filename="x.pdf"', "x.pdf"],
  ["no name in the header", LINK, "inline", "42.pdf"],
  ["a path in the header", LINK, 'attachment; filename="../../etc/passwd"', "passwd.pdf"],
  ["a Windows path", LINK, 'attachment; filename="C:\\\\temp\\\\bill.pdf"', "bill.pdf"],
  ["letters that turn the text around", "https://cdn.example/a%E2%80%AEfdp.exe", undefined, "afdp.exe.pdf"],
  ["control characters", "https://cdn.example/a%00b%0Ac.pdf", undefined, "abc.pdf"],
] as const)("%s", (_, link, disposition, name) => {
  expect(documentName(link, disposition)).toBe(name);
});

test("whatever link and header say, it is a short and visible name of a PDF", () => {
  const link = fc.oneof(
    fc.webUrl({ withQueryParameters: true }),
    fc.string().map((text) => `https://cdn.example/${encodeURIComponent(text)}`),
  );
  const disposition = fc.option(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string().map((text) => `attachment; filename="${text}"`),
    ),
    { nil: undefined },
  );
  fc.assert(
    fc.property(link, disposition, (address, header) => {
      const name = documentName(address, header);
      expect([...name].length).toBeLessThanOrEqual(100);
      expect(name).toMatch(/^[^\s.].*\.pdf$/u);
      expect(name).not.toMatch(/[\p{Control}\p{Format}\p{Surrogate}/\\]/u);
    }),
  );
});
