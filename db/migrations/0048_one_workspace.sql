-- A planner that saw one row takes each workspace for one row: then any index that begins with the workspace looks as good as
-- the key's, and a batch is compared with the whole table. Told that all rows are of one workspace, it goes by the other columns.
DO $$
DECLARE
	name text;
BEGIN
	FOR name IN SELECT attrelid::regclass FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND pg_has_role(c.relowner, 'MEMBER')
			AND attname = 'workspace_id' ORDER BY c.relname
	LOOP
		EXECUTE format('ALTER TABLE %s ALTER COLUMN workspace_id SET (n_distinct = 1)', name);
	END LOOP;
END $$;
