CREATE TABLE "invitations" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"email" text,
	"role" "role" NOT NULL,
	"invited_by" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"accepted_at" timestamp (3) with time zone,
	"accepted_by" text,
	"revoked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "invitations_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "api_requests" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"mode" "mode" NOT NULL,
	"api_key_id" text NOT NULL,
	"operation" text NOT NULL,
	"method" text NOT NULL,
	"path" text NOT NULL,
	"status" integer NOT NULL,
	"error_code" text,
	"client_request_id" text,
	"idempotency_key" text,
	"is_replay" boolean DEFAULT false NOT NULL,
	"message_id" text,
	"ip" text NOT NULL,
	"user_agent" text,
	"duration_ms" integer NOT NULL,
	"platform_ms" integer,
	"body" text,
	"answer" text,
	CONSTRAINT "api_requests_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "duration_hours" (
	"workspace_id" text NOT NULL,
	"mode" "mode" NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"bucket" integer NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "duration_hours_workspace_id_mode_hour_kind_bucket_pk" PRIMARY KEY("workspace_id","mode","hour","kind","bucket")
);
--> statement-breakpoint
CREATE TABLE "message_hours" (
	"workspace_id" text NOT NULL,
	"mode" "mode" NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"status" "message_status" NOT NULL,
	"failure_code" integer DEFAULT 0 NOT NULL,
	"phone_number_id" text NOT NULL,
	"api_key_id" text NOT NULL,
	"type" "message_type" NOT NULL,
	"template_name" text NOT NULL,
	"template_language" text NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "message_hours_key" PRIMARY KEY("workspace_id","mode","hour","status","failure_code","phone_number_id","api_key_id","type","template_name","template_language")
);
--> statement-breakpoint
CREATE TABLE "request_hours" (
	"workspace_id" text NOT NULL,
	"mode" "mode" NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"api_key_id" text NOT NULL,
	"operation" text NOT NULL,
	"status" integer NOT NULL,
	"error_code" text NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "request_hours_key" PRIMARY KEY("workspace_id","mode","hour","api_key_id","operation","status","error_code")
);
--> statement-breakpoint
CREATE TABLE "roll_up_marks" (
	"id" text PRIMARY KEY NOT NULL,
	"until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_hours" (
	"workspace_id" text NOT NULL,
	"phone_number_id" text NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"bucket" integer NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "webhook_hours_workspace_id_phone_number_id_hour_kind_bucket_pk" PRIMARY KEY("workspace_id","phone_number_id","hour","kind","bucket")
);
--> statement-breakpoint
CREATE TABLE "webhook_notices" (
	"id" text PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"kind" text NOT NULL,
	"reason" text DEFAULT '' NOT NULL,
	"body_digest" text,
	"whatsapp_phone_number_id" text
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "created_by" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "revoked_by" text;--> statement-breakpoint
ALTER TABLE "members" ADD COLUMN "last_seen_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD COLUMN "throughput" text;--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD COLUMN "messaging_limit" text;--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD COLUMN "token_checked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD COLUMN "token_expires_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD COLUMN "token_problem" text;--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD COLUMN "subscribed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD COLUMN "disconnected_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_workspace_id_invited_by_members_workspace_id_user_id_fk" FOREIGN KEY ("workspace_id","invited_by") REFERENCES "public"."members"("workspace_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_requests" ADD CONSTRAINT "api_requests_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "duration_hours" ADD CONSTRAINT "duration_hours_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_hours" ADD CONSTRAINT "message_hours_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "request_hours" ADD CONSTRAINT "request_hours_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_hours" ADD CONSTRAINT "webhook_hours_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_hours" ADD CONSTRAINT "webhook_hours_workspace_id_phone_number_id_phone_numbers_workspace_id_id_fk" FOREIGN KEY ("workspace_id","phone_number_id") REFERENCES "public"."phone_numbers"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_token" ON "invitations" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "api_requests_at" ON "api_requests" USING btree ("workspace_id","at","id");--> statement-breakpoint
CREATE INDEX "api_requests_idempotency_key" ON "api_requests" USING btree ("workspace_id","idempotency_key") WHERE "api_requests"."idempotency_key" is not null;--> statement-breakpoint
CREATE INDEX "api_requests_message" ON "api_requests" USING btree ("workspace_id","message_id") WHERE "api_requests"."message_id" is not null;--> statement-breakpoint
CREATE INDEX "webhook_notices_at" ON "webhook_notices" USING btree ("at");--> statement-breakpoint
CREATE INDEX "webhook_notices_number" ON "webhook_notices" USING btree ("whatsapp_phone_number_id","at");--> statement-breakpoint
CREATE INDEX "contacts_name" ON "contacts" USING btree ("workspace_id",lower("name") text_pattern_ops);--> statement-breakpoint
CREATE INDEX "messages_contact" ON "messages" USING btree ("workspace_id","contact_id","created_at","id");