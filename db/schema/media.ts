import { foreignKey, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { bytes, id, instant } from "../columns";
import { phoneNumbers } from "./phone-numbers";

/** Media that a line has uploaded lately, by the digest of the address it came from. */
export const mediaUploads = pgTable(
  "media_uploads",
  {
    workspaceId: id(),
    phoneNumberId: id(),
    urlDigest: bytes().notNull(),
    whatsappMediaId: text().notNull(),
    /** What a recipient sees of a document; null for pictures and videos. */
    fileName: text(),
    expiresAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.phoneNumberId, table.urlDigest] }),
    foreignKey({
      columns: [table.workspaceId, table.phoneNumberId],
      foreignColumns: [phoneNumbers.workspaceId, phoneNumbers.id],
    }).onDelete("cascade"),
  ],
);
