import { describe, expect, test } from "vitest";
import { Email } from "@/lib/auth/account-fields";
import { readDocument } from "@/lib/operations/document";

const TAKEN = [
  "ada@example.com",
  "ada.lovelace+news@mail.example.co.uk",
  "o'neill@example.com",
  "o&m@example.com",
  "ada@1und1.example",
  "info@münchen.example",
  "info@xn--mnchen-3ya.example",
  "info@пример.рф",
  "info@xn--e1afmkfd.xn--p1ai",
  "info@उदाहरण.भारत",
];
const REFUSED = [
  "ada",
  "ada@example",
  "@example.com",
  "ada@",
  "ada@.com",
  "ada@example..com",
  ".ada@example.com",
  "ada.@example.com",
  "a..da@example.com",
  "ada lovelace@example.com",
  "ada@exam ple.com",
  "ada@-example.com",
  "ada@example-.com",
  "ada@192.0.2.1",
  "ada@example.com, max@example.com",
  "Ada <ada@example.com>",
  "größe@example.com",
  `${"a".repeat(65)}@example.com`,
];

/** As `provision` reads a member's. */
const faultOf = (email: string): string | undefined => {
  const members = [{ email, name: "Ada", role: "owner", password: "a long sentence of words" }];
  const reading = readDocument({ workspaces: [{ ref: "one", name: "One", members }] });
  return "faults" in reading ? reading.faults.find((fault) => fault.includes("email address")) : undefined;
};

describe("an e-mail address of a person", () => {
  test.each(TAKEN)("%s is taken", (address) => {
    expect(Email.safeParse(address).success).toBe(true);
    expect(faultOf(address)).toBeUndefined();
  });

  test.each(REFUSED)("%s is refused", (address) => {
    expect(Email.safeParse(address).success).toBe(false);
    expect(faultOf(address)).toContain("must be an email address");
  });
});
