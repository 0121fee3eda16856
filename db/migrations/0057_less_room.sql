-- 50 helped bursts about messages that were stored in bulk. A send writes its row twice, and what the first version leaves is room
-- for the next states: at 70 as many updates stay within their page, and a message takes a third less. As 0053, set on what holds rows.
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
