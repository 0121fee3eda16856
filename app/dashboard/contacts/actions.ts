"use server";

import { z } from "zod";
import { memberAction, step } from "@/lib/auth/action";
import { nameFault } from "@/lib/contacts/contact-file";
import { eraseContact as erase } from "@/lib/contacts/erase-phone";
import { addContact, importContacts, MAX_IMPORTED_AT_ONCE, renameContact } from "@/lib/contacts/save-contacts";
import { readPhone } from "@/lib/core/phone";
import { characterCount } from "@/lib/core/text";

const PATH = "/dashboard/contacts";
const may = "manageContacts";
const contactId = z.string().max(100);

const name = z
  .string()
  .trim()
  .refine((text) => characterCount(text) <= 200, "At most 200 characters.")
  .transform((text) => text.replaceAll("\0", "").toWellFormed() || null);

const phone = z.string().transform((given, context) => {
  const reading = readPhone(given);
  if ("phone" in reading) return reading.phone;
  context.addIssue({ code: "custom", message: reading.fault });
  return z.NEVER;
});

/** As the preview reads it, so that nothing else is stored than what was shown. */
const nameOfFile = z
  .string()
  .trim()
  .refine((text) => nameFault(text) === undefined, "This name cannot be stored.")
  .transform((text) => text || null);

/** Rows of a file arrive as JSON, because a form has no lists of pairs. */
const rows = z
  .string()
  .transform((json, context): unknown => {
    try {
      return JSON.parse(json);
    } catch {
      context.addIssue({ code: "custom", message: "These rows cannot be read." });
      return z.NEVER;
    }
  })
  .pipe(z.array(z.object({ phone, name: nameOfFile.nullable() })).max(MAX_IMPORTED_AT_ONCE));

export const createContact = memberAction(
  { may, input: z.object({ phone, name }), refreshes: PATH },
  ({ member, by }, contact) => addContact(member.workspaceId, contact, by),
);

export const changeName = memberAction(
  { may, input: z.object({ contactId, name }), refreshes: PATH },
  step(renameContact),
);

/** A part of a file. The list is read again once the file is through. */
export const importBatch = memberAction({ may, input: z.object({ rows }) }, ({ member, by }, batch) =>
  importContacts(member.workspaceId, batch.rows, by),
);

export const eraseContact = memberAction(
  { may, input: z.object({ contactId }), refreshes: "/dashboard" },
  async ({ member, by }, given) => {
    const erasure = await erase(member.workspaceId, given.contactId, by);
    return erasure.messages;
  },
);
