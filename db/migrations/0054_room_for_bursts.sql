-- A burst updates all rows of a page at once: with room for a second version of each, an update writes no index. As 0053, set on
-- what holds rows.
DO $$
DECLARE
	leaf regclass;
BEGIN
	FOR leaf IN
		SELECT oid FROM pg_class
		WHERE relkind = 'r' AND (oid = 'messages'::regclass OR oid IN (SELECT relid FROM pg_partition_tree('messages')))
	LOOP
		EXECUTE format('ALTER TABLE %s SET (fillfactor = 50)', leaf);
	END LOOP;
END $$;
--> statement-breakpoint
-- The one statement that writes an event locks its message.
ALTER TABLE "status_events" DROP CONSTRAINT IF EXISTS "status_events_workspace_id_message_id_messages_workspace_id_id_fk";
