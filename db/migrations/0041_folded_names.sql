ALTER TABLE "contacts" ADD COLUMN "folded_name" text;--> statement-breakpoint
CREATE INDEX "contacts_folded_name" ON "contacts" USING btree ("workspace_id","folded_name" text_pattern_ops) WHERE "contacts"."folded_name" is not null;--> statement-breakpoint
CREATE INDEX "contacts_to_fold" ON "contacts" USING btree ("workspace_id","id") WHERE "contacts"."folded_name" is null and "contacts"."name" is not null;--> statement-breakpoint
CREATE FUNCTION clear_folded_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.folded_name := NULL;
	RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER contacts_clear_folded_name BEFORE UPDATE OF name ON contacts FOR EACH ROW
	WHEN (OLD.name IS DISTINCT FROM NEW.name)
	EXECUTE FUNCTION clear_folded_name();
