CREATE TABLE "alerts" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"kind" text NOT NULL,
	"subject_id" text NOT NULL,
	"topic" text DEFAULT '' NOT NULL,
	"level" integer NOT NULL,
	"tone" text NOT NULL,
	"sentence" text NOT NULL,
	"href" text NOT NULL,
	"action" text NOT NULL,
	"user_id" text,
	"opened_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"closed_at" timestamp (3) with time zone,
	"event_count" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "alerts_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"address" text NOT NULL,
	"user_id" text,
	"workspace_id" text,
	"content" json NOT NULL,
	"link_secret" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "is_mailed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "members" ADD COLUMN "mailed_alerts" json;--> statement-breakpoint
ALTER TABLE "members" ADD COLUMN "alerts_seen_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "password_resets" ADD COLUMN "is_mailed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "email_confirmed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "alerts_mailed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "templates" ADD COLUMN "recategorized_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "templates" ADD COLUMN "previous_category" text;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "format" text DEFAULT 'events' NOT NULL;--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "alerts_open" ON "alerts" USING btree ("workspace_id","kind","subject_id","topic") WHERE "alerts"."closed_at" is null;--> statement-breakpoint
CREATE INDEX "alerts_opened" ON "alerts" USING btree ("workspace_id","opened_at","id");--> statement-breakpoint
CREATE INDEX "alerts_user" ON "alerts" USING btree ("user_id") WHERE "alerts"."user_id" is not null;--> statement-breakpoint
CREATE INDEX "mails_due" ON "mails" USING btree ("next_attempt_at");--> statement-breakpoint
CREATE INDEX "mails_user" ON "mails" USING btree ("user_id");--> statement-breakpoint
-- Keeps the previous category of a template when WhatsApp changes it, by a webhook or a sync.
CREATE FUNCTION keep_previous_category() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.recategorized_at := now();
	NEW.previous_category := OLD.category;
	RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER templates_recategorized BEFORE UPDATE ON templates FOR EACH ROW
	WHEN (OLD.category IS DISTINCT FROM NEW.category) EXECUTE FUNCTION keep_previous_category();
