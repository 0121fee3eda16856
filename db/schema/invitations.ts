import { foreignKey, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bytes, createdAt, id, instant } from "../columns";
import { members, role, workspaces } from "./identity";

/** A link that lets anyone with it join once, until it expires or is revoked. */
export const invitations = pgTable(
  "invitations",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    id: id(),
    /** SHA-256 of the token in the link: the link itself is shown once and kept nowhere. */
    tokenHash: bytes().notNull(),
    /** Whom it is meant for; only an account of this address may accept it, which proves nothing. Null: any account. */
    email: text(),
    role: role().notNull(),
    invitedBy: text().notNull(),
    expiresAt: instant().notNull(),
    acceptedAt: instant(),
    acceptedBy: text(),
    revokedAt: instant(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    uniqueIndex("invitations_token").on(table.tokenHash),
    // An invitation goes with the member who made it.
    foreignKey({
      columns: [table.workspaceId, table.invitedBy],
      foreignColumns: [members.workspaceId, members.userId],
    }).onDelete("cascade"),
  ],
);

export type Invitation = typeof invitations.$inferSelect;
