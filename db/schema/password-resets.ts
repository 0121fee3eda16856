import { foreignKey, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bytes, createdAt, instant } from "../columns";
import { members, users } from "./identity";

/** The link that lets its holder set a new password, one for each account. Using it deletes the row. */
export const passwordResets = pgTable(
  "password_resets",
  {
    userId: text()
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    /** SHA-256 of the token in the link: the link itself is shown once and not stored. */
    tokenHash: bytes().notNull(),
    /** The workspace whose owner made the link, and that owner. Both are null where the operator made it. */
    workspaceId: text(),
    madeBy: text(),
    expiresAt: instant().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("password_resets_token").on(table.tokenHash),
    // An owner's link goes when the owner or the member leaves the workspace.
    foreignKey({
      name: "password_resets_member",
      columns: [table.workspaceId, table.userId],
      foreignColumns: [members.workspaceId, members.userId],
    }).onDelete("cascade"),
    foreignKey({
      name: "password_resets_maker",
      columns: [table.workspaceId, table.madeBy],
      foreignColumns: [members.workspaceId, members.userId],
    }).onDelete("cascade"),
  ],
);
