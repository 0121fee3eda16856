-- A planner that saw one row takes each workspace for one row: then any index that begins with the workspace looks as good as
-- the key's, and a batch is compared with the whole table. Told that all rows are of one workspace, it goes by the other columns.
DO $$
DECLARE
	name text;
BEGIN
	FOR name IN SELECT table_name FROM information_schema.columns
		WHERE table_schema = current_schema() AND column_name = 'workspace_id' ORDER BY table_name
	LOOP
		EXECUTE format('ALTER TABLE %I ALTER COLUMN workspace_id SET (n_distinct = 1)', name);
	END LOOP;
END $$;
