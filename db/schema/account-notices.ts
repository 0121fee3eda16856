import { boolean, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { id, instant } from "../columns";
import { workspaces } from "./identity";

/**
 * What WhatsApp last reported of a business account, or of one of its numbers: one row for each kind of event, so that no
 * kind hides another. Of two events of a kind the one with the later time of its own stays, whichever came first.
 */
export const accountNotices = pgTable(
  "account_notices",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    whatsappBusinessAccountId: text().notNull(),
    /** The digits of one number; empty where the whole account is concerned. */
    number: text().notNull(),
    kind: text().notNull(),
    /** WhatsApp's value, such as `DISABLED_UPDATE`. */
    event: text().notNull(),
    /** What the event alone leaves open, as JSON: see `NoticeDetail`. */
    detail: text().notNull(),
    occurredAt: instant().notNull(),
    /** Whether it is bad news: of two events of one second the bad one stays. */
    isAlarm: boolean().notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.whatsappBusinessAccountId, table.number, table.kind] })],
);
