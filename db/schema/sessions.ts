import { index, pgTable, text } from "drizzle-orm/pg-core";
import { id, instant } from "../columns";
import { users } from "./identity";

/** One row for each signed-in browser. The session cookie holds the id; deleting the row ends the session. */
export const sessions = pgTable(
  "sessions",
  {
    id: text().primaryKey(),
    userId: id().references(() => users.id, { onDelete: "cascade" }),
    signedInAt: instant().notNull().defaultNow(),
    expiresAt: instant().notNull(),
    /** Browser and system, such as "Firefox on Linux": never the whole User-Agent. */
    device: text().notNull(),
    /** The client address without its last part, such as "203.0.113.x". */
    maskedAddress: text().notNull(),
  },
  (table) => [index("sessions_user").on(table.userId)],
);

export type Session = typeof sessions.$inferSelect;
