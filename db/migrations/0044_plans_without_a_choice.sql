-- Claims, the order of events, lists and keys each have an index that no other statement matches: where several begin with the
-- same columns, Postgres took the one that was lower when it last looked, and read all that waits.
-- One that was built beside the servers, and did not end well, is not used by Postgres.
DO $$
DECLARE
	name regclass;
BEGIN
	FOR name IN SELECT indexrelid FROM pg_index
		WHERE NOT indisvalid AND indrelid = 'webhook_deliveries'::regclass
	LOOP
		EXECUTE format('DROP INDEX %s', name);
	END LOOP;
END $$;
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "webhook_deliveries_next" ON "webhook_deliveries" USING btree ("workspace_id","endpoint_id" collate "C","is_refused","next_attempt_at","position") WHERE "webhook_deliveries"."state" = 'PENDING' and "webhook_deliveries"."next_attempt_at" < 'infinity';--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "webhook_deliveries_queue" ON "webhook_deliveries" USING btree ("workspace_id","endpoint_id" collate "C","subject_id" collate "C","position") WHERE "webhook_deliveries"."state" = 'PENDING' and "webhook_deliveries"."subject_id" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "webhook_deliveries_about" ON "webhook_deliveries" USING btree ("subject_id","workspace_id");--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "webhook_deliveries_listed" ON "webhook_deliveries" USING btree ("endpoint_id","workspace_id","created_at","id");--> statement-breakpoint
-- As 0042 made it, by the new index.
CREATE OR REPLACE FUNCTION wait_for_earlier_delivery() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
	PERFORM FROM webhook_deliveries d
	WHERE d.workspace_id = NEW.workspace_id AND d.endpoint_id = NEW.endpoint_id COLLATE "C"
		AND d.subject_id = NEW.subject_id COLLATE "C" AND d.state = 'PENDING'
	ORDER BY d.position LIMIT 1 FOR SHARE SKIP LOCKED;
	IF FOUND THEN
		NEW.next_attempt_at := 'infinity';
	END IF;
	RETURN NEW;
END $$;
