DROP INDEX "webhook_deliveries_due";--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "is_refused" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "answer_ms" integer;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_waiting" ON "webhook_deliveries" USING btree ("workspace_id","endpoint_id","subject_id","position") WHERE "webhook_deliveries"."state" = 'PENDING' and "webhook_deliveries"."next_attempt_at" = 'infinity';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("workspace_id","endpoint_id","is_refused","next_attempt_at","position") WHERE "webhook_deliveries"."state" = 'PENDING';--> statement-breakpoint
-- An event behind a pending one of its subject waits for that one's end. The lock keeps the earlier one pending until this
-- transaction ends, so that its end finds the row that waits. Whoever changes it at this moment keeps no status waiting:
-- then the row is due at once, and the claim decides. A plan that was made while the table was small must not read it whole.
CREATE FUNCTION wait_for_earlier_delivery() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
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
CREATE TRIGGER webhook_deliveries_wait BEFORE INSERT ON webhook_deliveries FOR EACH ROW
	WHEN (NEW.state = 'PENDING') EXECUTE FUNCTION wait_for_earlier_delivery();
--> statement-breakpoint
-- Whatever ends a pending delivery, the first that waits behind it is due. A snapshot of its own: it sees what was stored
-- while the ending statement waited for its locks.
CREATE FUNCTION promote_next_delivery() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
	UPDATE webhook_deliveries d SET next_attempt_at = now()
	WHERE d.workspace_id = OLD.workspace_id AND d.next_attempt_at = 'infinity' AND d.id = (
		SELECT w.id FROM webhook_deliveries w
		WHERE w.workspace_id = OLD.workspace_id AND w.endpoint_id = OLD.endpoint_id AND w.subject_id = OLD.subject_id
			AND w.state = 'PENDING' AND w.next_attempt_at = 'infinity'
		ORDER BY w.workspace_id, w.endpoint_id, w.subject_id, w.position LIMIT 1);
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER webhook_deliveries_settled AFTER UPDATE ON webhook_deliveries FOR EACH ROW
	WHEN (OLD.state = 'PENDING' AND NEW.state <> 'PENDING') EXECUTE FUNCTION promote_next_delivery();
--> statement-breakpoint
CREATE TRIGGER webhook_deliveries_deleted AFTER DELETE ON webhook_deliveries FOR EACH ROW
	WHEN (OLD.state = 'PENDING') EXECUTE FUNCTION promote_next_delivery();
