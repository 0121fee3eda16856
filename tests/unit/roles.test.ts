import { expect, test } from "vitest";
import { shownRecipient } from "@/lib/contacts/recipient";
import { ERASED_PHONE } from "@/lib/core/phone";
import { can } from "@/lib/workspaces/roles";

test("everyone sees the workspace; only owners and admins see keys and whole recipients", () => {
  for (const role of ["owner", "admin", "member"] as const) {
    const isTrusted = role !== "member";
    expect(can(role, "seeWorkspace")).toBe(true);
    expect(can(role, "seeApiKeys")).toBe(isTrusted);
    expect(can(role, "seeFullRecipient")).toBe(isTrusted);
  }
});

test("a member sees a recipient with its middle hidden, three digits at least", () => {
  expect(shownRecipient("447700900126", "owner")).toBe("+447700900126");
  expect(shownRecipient("447700900126", "member")).toBe("44770•••0126");
  expect(shownRecipient("123456789", "member")).toBe("12•••6789");
  expect(shownRecipient("1234567", "member")).toBe("•••4567");
  expect(shownRecipient(ERASED_PHONE, "owner")).toBe("erased");
});
