-- For servers of 0.6 while they run beside 0.7, which write no column of test mode; the next release drops it. A stop that they store,
-- which no event of `recent_events` comes with, counts in both modes; one of a contact that they merge goes to the contact that stays.
CREATE FUNCTION keep_test_stops() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.merged_into IS NOT NULL THEN
		UPDATE contacts SET test_marketing_opted_out_at = NEW.test_marketing_opted_out_at,
			test_marketing_opt_out_source = NEW.test_marketing_opt_out_source,
			test_marketing_preference_at = NEW.test_marketing_preference_at
		WHERE workspace_id = NEW.workspace_id AND id = NEW.merged_into
			AND coalesce(test_marketing_preference_at, '-infinity') < NEW.test_marketing_preference_at;
	ELSIF coalesce(NEW.test_marketing_preference_at, '-infinity') < NEW.marketing_preference_at THEN
		NEW.test_marketing_opted_out_at := NEW.marketing_opted_out_at;
		NEW.test_marketing_opt_out_source := NEW.marketing_opt_out_source;
		NEW.test_marketing_preference_at := NEW.marketing_preference_at;
	END IF;
	RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER contacts_keep_test_stops BEFORE UPDATE ON contacts FOR EACH ROW WHEN (
	NEW.recent_events IS NOT DISTINCT FROM OLD.recent_events AND (
		OLD.merged_into IS NULL AND NEW.merged_into IS NOT NULL AND NEW.test_marketing_opted_out_at IS NOT NULL
		OR NEW.merged_into IS NULL AND NEW.marketing_opted_out_at IS NOT NULL
			AND NEW.marketing_preference_at IS DISTINCT FROM OLD.marketing_preference_at))
	EXECUTE FUNCTION keep_test_stops();
