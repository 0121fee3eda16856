CREATE TABLE "contact_names" (
	"workspace_id" text NOT NULL,
	"contact_id" text NOT NULL,
	"name" text NOT NULL,
	"account" text DEFAULT '' NOT NULL,
	"first_seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_seen_at" timestamp (3) with time zone,
	"arrived_at" timestamp (3) with time zone,
	"left_at" timestamp (3) with time zone,
	"taken_at" timestamp (3) with time zone,
	"is_left" boolean DEFAULT false NOT NULL,
	CONSTRAINT "contact_names_workspace_id_name_contact_id_account_pk" PRIMARY KEY("workspace_id","name","contact_id","account")
);
--> statement-breakpoint
-- First the long copy, which blocks no send; what is written meanwhile is copied under the lock of the trigger.
INSERT INTO contact_names (workspace_id, contact_id, name, first_seen_at)
SELECT workspace_id, contact_id, name, created_at FROM (
	SELECT workspace_id, id AS contact_id, phone AS name, created_at FROM contacts WHERE phone IS NOT NULL AND erased_at IS NULL
	UNION ALL
	SELECT workspace_id, id, whatsapp_user_id, created_at FROM contacts WHERE whatsapp_user_id IS NOT NULL AND erased_at IS NULL
	UNION ALL
	SELECT workspace_id, contact_id, wa_id, created_at FROM contact_aliases
) known
ON CONFLICT DO NOTHING;
--> statement-breakpoint
CREATE INDEX "contact_names_contact" ON "contact_names" USING btree ("workspace_id","contact_id");
--> statement-breakpoint
ALTER TABLE "contacts" ADD COLUMN "merged_into" text;
--> statement-breakpoint
ALTER TABLE "contacts" ADD CONSTRAINT "contacts_workspace_id_merged_into_contacts_workspace_id_id_fk" FOREIGN KEY ("workspace_id","merged_into") REFERENCES "public"."contacts"("workspace_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "contacts_merged_into" ON "contacts" USING btree ("workspace_id","merged_into") WHERE "contacts"."merged_into" is not null;
--> statement-breakpoint
CREATE FUNCTION write_contact_names() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
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
--> statement-breakpoint
CREATE TRIGGER contacts_write_names AFTER INSERT OR UPDATE OF phone, whatsapp_user_id ON contacts FOR EACH ROW
	WHEN (NEW.erased_at IS NULL)
	EXECUTE FUNCTION write_contact_names();
--> statement-breakpoint
INSERT INTO contact_names (workspace_id, contact_id, name, first_seen_at)
SELECT workspace_id, contact_id, name, created_at FROM (
	SELECT workspace_id, id AS contact_id, phone AS name, created_at FROM contacts WHERE phone IS NOT NULL AND erased_at IS NULL
	UNION ALL
	SELECT workspace_id, id, whatsapp_user_id, created_at FROM contacts WHERE whatsapp_user_id IS NOT NULL AND erased_at IS NULL
	UNION ALL
	SELECT workspace_id, contact_id, wa_id, created_at FROM contact_aliases
) known
WHERE NOT EXISTS (
	SELECT FROM contact_names n
	WHERE n.workspace_id = known.workspace_id AND n.name = known.name AND n.contact_id = known.contact_id)
ON CONFLICT DO NOTHING;
--> statement-breakpoint
ALTER TABLE "contact_names" ADD CONSTRAINT "contact_names_workspace_id_contact_id_contacts_workspace_id_id_fk" FOREIGN KEY ("workspace_id","contact_id") REFERENCES "public"."contacts"("workspace_id","id") ON DELETE cascade ON UPDATE no action;
