ALTER TABLE "status_events" DROP CONSTRAINT IF EXISTS "status_events_workspace_id_workspaces_id_fk";
--> statement-breakpoint
-- Room in each page for the message's later states: an update within its page writes no index. Set on what holds rows: a
-- partitioned table takes no such setting.
DO $$
DECLARE
	leaf regclass;
BEGIN
	FOR leaf IN
		SELECT oid FROM pg_class
		WHERE relkind = 'r' AND (oid = 'messages'::regclass OR oid IN (SELECT relid FROM pg_partition_tree('messages')))
	LOOP
		EXECUTE format('ALTER TABLE %s SET (fillfactor = 70)', leaf);
	END LOOP;
END $$;
--> statement-breakpoint
-- As in 0035, but for who is asked: the first row of a burst finds that its workspace has no endpoint, and the others of that
-- transaction read it from a setting.
CREATE OR REPLACE FUNCTION write_message_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	moved boolean := NEW.status IS DISTINCT FROM OLD.status;
	is_sent boolean := (OLD.sent_at IS NULL AND NEW.sent_at IS NOT NULL) OR (moved AND NEW.status = 'SENT');
	is_delivered boolean :=
		(OLD.delivered_at IS NULL AND NEW.delivered_at IS NOT NULL) OR (moved AND NEW.status = 'DELIVERED');
	is_read boolean := (OLD.read_at IS NULL AND NEW.read_at IS NOT NULL) OR (moved AND NEW.status = 'READ');
	is_failed boolean := moved AND NEW.status = 'FAILED';
	is_unknown boolean := moved AND NEW.status = 'UNKNOWN';
	-- One update may say several things: a webhook can report delivered and read at once.
	news int := is_sent::int + is_delivered::int + is_read::int + is_failed::int + is_unknown::int;
	partner text := NEW.workspace_id || '/' || NEW.mode;
BEGIN
	NEW.event_count := OLD.event_count + news;
	IF news = 0 OR current_setting('switchboard.no_endpoint', true) = partner THEN
		RETURN NEW;
	END IF;
	IF NOT EXISTS (
		SELECT FROM webhook_endpoints e
		WHERE e.workspace_id = NEW.workspace_id AND e.mode = NEW.mode AND e.deleted_at IS NULL
	) THEN
		PERFORM set_config('switchboard.no_endpoint', partner, true);
		RETURN NEW;
	END IF;
	INSERT INTO webhook_deliveries (workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at)
	SELECT NEW.workspace_id, 'whd_' || replace(gen_random_uuid()::text, '-', ''), e.id, event.type, NEW.id,
		OLD.event_count + event.number,
		jsonb_build_object(
			'status', NEW.status, 'whatsappMessageId', NEW.whatsapp_message_id, 'failureReason', NEW.failure_reason,
			'sentAt', NEW.sent_at, 'deliveredAt', NEW.delivered_at, 'readAt', NEW.read_at,
			'pricing', CASE WHEN NEW.priced_at IS NOT NULL THEN json_build_object(
				'billable', NEW.pricing_billable, 'type', NEW.pricing_type, 'category', NEW.pricing_category,
				'model', NEW.pricing_model)::text END),
		event.at
	FROM webhook_endpoints e
	CROSS JOIN (
		SELECT said.type, said.at, row_number() OVER (ORDER BY said.place) AS number
		FROM (VALUES
			(1, is_sent, 'message.sent', coalesce(NEW.sent_at, now())),
			(2, is_delivered, 'message.delivered', coalesce(NEW.delivered_at, now())),
			(3, is_read, 'message.read', coalesce(NEW.read_at, now())),
			(4, is_failed, 'message.failed', coalesce(NEW.failed_at, now())),
			(5, is_unknown, 'message.unknown', now())) AS said (place, is_so, type, at)
		WHERE said.is_so) AS event
	WHERE e.workspace_id = NEW.workspace_id AND e.mode = NEW.mode AND e.deleted_at IS NULL AND e.events ? event.type
	ORDER BY event.number, e.id;
	RETURN NEW;
END $$;
