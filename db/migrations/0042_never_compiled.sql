-- No statement of Switchboard is worth compiling (jit). Its connections say so themselves; behind a pooler only this does.
-- Who may not change the database changes their own role in it; where neither may be, the log and `doctor` name it.
DO $$
BEGIN
	EXECUTE format('ALTER DATABASE %I SET jit = off', current_database());
EXCEPTION WHEN insufficient_privilege THEN
	BEGIN
		EXECUTE format('ALTER ROLE %I IN DATABASE %I SET jit = off', current_user, current_database());
	EXCEPTION WHEN insufficient_privilege THEN
		NULL;
	END;
END $$;
--> statement-breakpoint
-- As 0023 made them, without switching methods of the planner off: Postgres up to 17 prices a plan that cannot do without
-- at 10^10, and compiles it for that where nothing forbids it. What they need is a plan of this moment, not one from when the table was small.
CREATE OR REPLACE FUNCTION wait_for_earlier_delivery() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
	PERFORM FROM webhook_deliveries d
	WHERE d.workspace_id = NEW.workspace_id AND d.endpoint_id = NEW.endpoint_id AND d.subject_id = NEW.subject_id
		AND d.state = 'PENDING'
	ORDER BY d.workspace_id, d.endpoint_id, d.subject_id, d.position LIMIT 1 FOR SHARE SKIP LOCKED;
	IF FOUND THEN
		NEW.next_attempt_at := 'infinity';
	END IF;
	RETURN NEW;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION promote_next_delivery() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
	-- By the key of a row that is found first: of a workspace that the planner knows by name it may expect no rows at all.
	UPDATE webhook_deliveries d SET next_attempt_at = now()
	FROM (
		SELECT w.workspace_id, w.id FROM webhook_deliveries w
		WHERE w.workspace_id = OLD.workspace_id AND w.endpoint_id = OLD.endpoint_id AND w.subject_id = OLD.subject_id
			AND w.state = 'PENDING' AND w.next_attempt_at = 'infinity'
		ORDER BY w.workspace_id, w.endpoint_id, w.subject_id, w.position LIMIT 1
	) waiting
	WHERE d.workspace_id = waiting.workspace_id AND d.id = waiting.id AND d.next_attempt_at = 'infinity';
	RETURN NULL;
END $$;
