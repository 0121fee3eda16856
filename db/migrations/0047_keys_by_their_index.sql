-- Postgres checks a key by whatever index begins with the workspace, where it expects one row of each: so it read all contacts of a
-- workspace by the names or refs that they do not have. These indexes hold what they find only.
DROP INDEX "contacts_ref";--> statement-breakpoint
DROP INDEX "contacts_folded_name";--> statement-breakpoint
DROP INDEX "contacts_name";--> statement-breakpoint
CREATE UNIQUE INDEX "contacts_ref" ON "contacts" USING btree ("workspace_id","ref") WHERE "contacts"."ref" is not null;--> statement-breakpoint
CREATE INDEX "contacts_folded_name" ON "contacts" USING btree ("workspace_id","folded_name" text_pattern_ops) WHERE "contacts"."folded_name" is not null;--> statement-breakpoint
CREATE INDEX "contacts_name" ON "contacts" USING btree ("workspace_id",lower("name") text_pattern_ops) WHERE "contacts"."name" is not null;--> statement-breakpoint
-- Where each workspace has one row when statistics are made, Postgres expects one row of every workspace, and reads all of a
-- workspace's by any index that begins with it: 13,000 rows for a key. These hold for the next statistics on.
ALTER TABLE "contacts" ALTER COLUMN "workspace_id" SET (n_distinct = 1);--> statement-breakpoint
ALTER TABLE "contact_names" ALTER COLUMN "workspace_id" SET (n_distinct = 1);--> statement-breakpoint
ALTER TABLE "messages" ALTER COLUMN "workspace_id" SET (n_distinct = 1);--> statement-breakpoint
ALTER TABLE "status_events" ALTER COLUMN "workspace_id" SET (n_distinct = 1);--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ALTER COLUMN "workspace_id" SET (n_distinct = 1);--> statement-breakpoint
ALTER TABLE "flow_sessions" ALTER COLUMN "workspace_id" SET (n_distinct = 1);--> statement-breakpoint
ALTER TABLE "flow_replies" ALTER COLUMN "workspace_id" SET (n_distinct = 1);--> statement-breakpoint
ALTER TABLE "audit_log" ALTER COLUMN "workspace_id" SET (n_distinct = 1);--> statement-breakpoint
-- By its former condition each event that was stored could be compared with all that waits. "is true" below keeps the search for
-- the next one from it, too.
DROP INDEX "webhook_deliveries_due";--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("workspace_id","endpoint_id","is_refused","next_attempt_at","position") WHERE "webhook_deliveries"."state" = 'PENDING' and "webhook_deliveries"."next_attempt_at" is not null;--> statement-breakpoint
CREATE OR REPLACE FUNCTION promote_next_delivery() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
	-- By the key of a row that is found first: of a workspace that the planner knows by name it may expect no rows at all.
	UPDATE webhook_deliveries d SET next_attempt_at = now()
	FROM (
		SELECT w.workspace_id, w.id FROM webhook_deliveries w
		WHERE w.workspace_id = OLD.workspace_id AND w.endpoint_id = OLD.endpoint_id COLLATE "C"
			AND w.subject_id = OLD.subject_id COLLATE "C" AND w.state = 'PENDING' AND (w.next_attempt_at = 'infinity') IS TRUE
		ORDER BY w.position LIMIT 1
	) waiting
	WHERE d.workspace_id = waiting.workspace_id AND d.id = waiting.id AND d.next_attempt_at = 'infinity';
	RETURN NULL;
END $$;
