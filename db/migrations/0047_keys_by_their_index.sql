-- Postgres checks a key by whatever index begins with the workspace, where it expects one row of each: so it read all contacts of a
-- workspace by the names or refs that they do not have. These indexes hold what they find only.
-- One that was built beside the servers, and did not end well, is not used by Postgres.
DO $$
DECLARE
	name regclass;
BEGIN
	FOR name IN SELECT indexrelid FROM pg_index
		WHERE NOT indisvalid AND indrelid IN ('contacts'::regclass, 'webhook_deliveries'::regclass)
	LOOP
		EXECUTE format('DROP INDEX %s', name);
	END LOOP;
END $$;
--> statement-breakpoint
CREATE UNIQUE INDEX IF NOT EXISTS "contacts_by_ref" ON "contacts" USING btree ("workspace_id","ref") WHERE "contacts"."ref" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "contacts_by_name" ON "contacts" USING btree ("workspace_id",lower("name") text_pattern_ops) WHERE "contacts"."name" is not null;--> statement-breakpoint
-- By its former condition each event that was stored could be compared with all that waits. "is true" below keeps the search for
-- the next one from it, too.
CREATE INDEX IF NOT EXISTS "webhook_deliveries_pending" ON "webhook_deliveries" USING btree ("workspace_id","endpoint_id","is_refused","next_attempt_at","position") WHERE "webhook_deliveries"."state" = 'PENDING' and "webhook_deliveries"."next_attempt_at" is not null;--> statement-breakpoint
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
