ALTER TABLE "template_reads" ADD COLUMN "reported" jsonb;--> statement-breakpoint
DROP TRIGGER templates_write_events ON templates;--> statement-breakpoint
-- A template that a list brings says nothing; the first report of the status that it has is as good as a change.
CREATE TRIGGER templates_write_events BEFORE UPDATE ON templates FOR EACH ROW
	WHEN (NEW.status IN ('APPROVED', 'REJECTED', 'PAUSED', 'DISABLED') AND (
		OLD.status IS DISTINCT FROM NEW.status
		OR (OLD.event_count = 0 AND OLD.status_changed_at IS NULL AND NEW.status_changed_at IS NOT NULL)))
	EXECUTE FUNCTION write_template_events();
