ALTER TABLE "contacts" ADD COLUMN "test_marketing_opted_out_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "contacts" ADD COLUMN "test_marketing_opt_out_source" text;--> statement-breakpoint
ALTER TABLE "contacts" ADD COLUMN "test_marketing_preference_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "contacts" ADD COLUMN "recent_events" jsonb;
--> statement-breakpoint
-- Each name of a contact is stored with it, and a number has one contact: a first message's that was made while the number
-- became another's is refused as one without a contact is, and its claim tries again and finds that one.
CREATE OR REPLACE FUNCTION write_contact_names() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	-- These only reserve a number, until the end of their transaction.
	IF NEW.id LIKE 'number of %' THEN
		RETURN NULL;
	END IF;
	IF TG_OP = 'INSERT' AND EXISTS (
		SELECT FROM contact_names n JOIN contacts c ON c.workspace_id = n.workspace_id AND c.id = n.contact_id
		WHERE n.workspace_id = NEW.workspace_id AND n.name = NEW.phone AND n.contact_id <> NEW.id AND NOT n.is_left
			AND c.erased_at IS NULL)
	THEN
		RAISE EXCEPTION 'The number has a contact.' USING ERRCODE = 'foreign_key_violation';
	END IF;
	IF NEW.phone IS NOT NULL THEN
		INSERT INTO contact_names (workspace_id, contact_id, name)
		VALUES (NEW.workspace_id, NEW.id, NEW.phone) ON CONFLICT DO NOTHING;
	END IF;
	-- Under which business account an id was seen is for the code to say; without it the id is kept all the same.
	IF NEW.whatsapp_user_id IS NOT NULL THEN
		INSERT INTO contact_names (workspace_id, contact_id, name)
		SELECT NEW.workspace_id, NEW.id, NEW.whatsapp_user_id
		WHERE NOT EXISTS (
			SELECT FROM contact_names n
			WHERE n.workspace_id = NEW.workspace_id AND n.name = NEW.whatsapp_user_id AND n.contact_id = NEW.id)
		ON CONFLICT DO NOTHING;
	END IF;
	RETURN NULL;
END $$;
