import { index, json, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { id, instant } from "../columns";
import { workspaces } from "./identity";

/** Who changed what: one row per changed thing, written in the transaction of the change. Holds no secret, no recipient. */
export const auditLog = pgTable(
  "audit_log",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    id: id(),
    actorKind: text({ enum: ["user", "provisioner", "command", "platform"] }).notNull(),
    /** A user's id, the name of the program, or WhatsApp. */
    actorId: text().notNull(),
    action: text().notNull(),
    targetKind: text().notNull(),
    targetId: text().notNull(),
    /** The changed fields alone; null where the thing was not there before, or is not there now. */
    before: json().$type<Record<string, unknown>>(),
    after: json().$type<Record<string, unknown>>(),
    requestId: text(),
    at: instant().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    index("audit_log_at").on(table.workspaceId, table.at, table.id),
  ],
);
