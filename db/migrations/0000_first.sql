CREATE TYPE "public"."mode" AS ENUM('live', 'test');--> statement-breakpoint
CREATE TYPE "public"."role" AS ENUM('owner', 'admin', 'member');--> statement-breakpoint
CREATE TYPE "public"."message_status" AS ENUM('PENDING', 'UNKNOWN', 'SENT', 'FAILED', 'DELIVERED', 'READ');--> statement-breakpoint
CREATE TYPE "public"."message_type" AS ENUM('text', 'template', 'interactive');--> statement-breakpoint
CREATE TYPE "public"."send_phase" AS ENUM('ACCEPTED', 'DISPATCHING', 'SENT', 'REFUSED', 'REFUSED_RETRYABLE', 'UNKNOWN');--> statement-breakpoint
CREATE TABLE "api_keys" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"ref" text,
	"label" text NOT NULL,
	"mode" "mode" NOT NULL,
	"api_key" text NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "api_keys_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "contacts" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"ref" text,
	"phone" text NOT NULL,
	"name" text,
	"whatsapp_user_id" text,
	"last_inbound_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "contacts_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "flow_sessions" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"contact_id" text NOT NULL,
	"phone_number_id" text NOT NULL,
	"message_id" text NOT NULL,
	"opened_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"closed_at" timestamp (3) with time zone,
	"closed_by" text,
	CONSTRAINT "flow_sessions_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "members" (
	"workspace_id" text NOT NULL,
	"user_id" text NOT NULL,
	"role" "role" NOT NULL,
	"joined_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "members_workspace_id_user_id_pk" PRIMARY KEY("workspace_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"password_hash" text,
	"session_version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "workspaces" (
	"id" text PRIMARY KEY NOT NULL,
	"ref" text,
	"name" text NOT NULL,
	"plan" text NOT NULL,
	"message_limit" integer,
	"time_zone" text DEFAULT 'UTC' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "media_uploads" (
	"workspace_id" text NOT NULL,
	"phone_number_id" text NOT NULL,
	"url_digest" "bytea" NOT NULL,
	"whatsapp_media_id" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "media_uploads_workspace_id_phone_number_id_url_digest_pk" PRIMARY KEY("workspace_id","phone_number_id","url_digest")
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"mode" "mode" NOT NULL,
	"api_key_id" text,
	"phone_number_id" text NOT NULL,
	"contact_id" text NOT NULL,
	"phone" text NOT NULL,
	"type" "message_type" NOT NULL,
	"template_name" text,
	"template_language" text,
	"request" text NOT NULL,
	"request_id" text,
	"idempotency_key" text,
	"fingerprint" "bytea" NOT NULL,
	"phase" "send_phase" NOT NULL,
	"fencing_token" integer DEFAULT 1 NOT NULL,
	"lease_expires_at" timestamp (3) with time zone NOT NULL,
	"attempt" integer DEFAULT 1 NOT NULL,
	"status" "message_status" DEFAULT 'PENDING' NOT NULL,
	"whatsapp_message_id" text,
	"whatsapp_message_status" text,
	"failure_reason" text,
	"failure_code" integer,
	"unit_month" date,
	"dispatched_at" timestamp (3) with time zone,
	"sent_at" timestamp (3) with time zone,
	"delivered_at" timestamp (3) with time zone,
	"read_at" timestamp (3) with time zone,
	"failed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "messages_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "phone_numbers" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"ref" text,
	"label" text NOT NULL,
	"mode" "mode" NOT NULL,
	"display_phone_number" text NOT NULL,
	"verified_name" text,
	"whatsapp_phone_number_id" text NOT NULL,
	"whatsapp_business_account_id" text NOT NULL,
	"access_token" text NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"is_default" boolean DEFAULT false NOT NULL,
	"quality_rating" text,
	"platform_event" text,
	"last_webhook_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "phone_numbers_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "rate_windows" (
	"id" text PRIMARY KEY NOT NULL,
	"bucket" bigint NOT NULL,
	"used" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "status_events" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"phone_number_id" text NOT NULL,
	"message_id" text,
	"digest" "bytea" NOT NULL,
	"whatsapp_message_id" text NOT NULL,
	"status" text NOT NULL,
	"failure_code" integer,
	"failure_reason" text,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"received_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "status_events_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "templates" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"mode" "mode" NOT NULL,
	"whatsapp_business_account_id" text NOT NULL,
	"whatsapp_template_id" text NOT NULL,
	"name" text NOT NULL,
	"language" text NOT NULL,
	"category" text NOT NULL,
	"status" text NOT NULL,
	"parameter_format" text DEFAULT 'POSITIONAL' NOT NULL,
	"components" json NOT NULL,
	"quality_score" text,
	"rejected_reason" text,
	"status_changed_at" timestamp (3) with time zone,
	"synced_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "templates_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "usage" (
	"workspace_id" text NOT NULL,
	"month" date NOT NULL,
	"used" integer NOT NULL,
	"message_limit" integer,
	CONSTRAINT "usage_workspace_id_month_pk" PRIMARY KEY("workspace_id","month"),
	CONSTRAINT "usage_within_limit" CHECK ("usage"."used" <= "usage"."message_limit")
);
--> statement-breakpoint
CREATE TABLE "unhandled_webhooks" (
	"id" text PRIMARY KEY NOT NULL,
	"reason" text NOT NULL,
	"body" "bytea" NOT NULL,
	"received_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contacts" ADD CONSTRAINT "contacts_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flow_sessions" ADD CONSTRAINT "flow_sessions_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flow_sessions" ADD CONSTRAINT "flow_sessions_workspace_id_contact_id_contacts_workspace_id_id_fk" FOREIGN KEY ("workspace_id","contact_id") REFERENCES "public"."contacts"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flow_sessions" ADD CONSTRAINT "flow_sessions_workspace_id_phone_number_id_phone_numbers_workspace_id_id_fk" FOREIGN KEY ("workspace_id","phone_number_id") REFERENCES "public"."phone_numbers"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flow_sessions" ADD CONSTRAINT "flow_sessions_workspace_id_message_id_messages_workspace_id_id_fk" FOREIGN KEY ("workspace_id","message_id") REFERENCES "public"."messages"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "media_uploads" ADD CONSTRAINT "media_uploads_workspace_id_phone_number_id_phone_numbers_workspace_id_id_fk" FOREIGN KEY ("workspace_id","phone_number_id") REFERENCES "public"."phone_numbers"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_workspace_id_phone_number_id_phone_numbers_workspace_id_id_fk" FOREIGN KEY ("workspace_id","phone_number_id") REFERENCES "public"."phone_numbers"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_workspace_id_contact_id_contacts_workspace_id_id_fk" FOREIGN KEY ("workspace_id","contact_id") REFERENCES "public"."contacts"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_workspace_id_api_key_id_api_keys_workspace_id_id_fk" FOREIGN KEY ("workspace_id","api_key_id") REFERENCES "public"."api_keys"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD CONSTRAINT "phone_numbers_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "status_events" ADD CONSTRAINT "status_events_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "status_events" ADD CONSTRAINT "status_events_workspace_id_phone_number_id_phone_numbers_workspace_id_id_fk" FOREIGN KEY ("workspace_id","phone_number_id") REFERENCES "public"."phone_numbers"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "status_events" ADD CONSTRAINT "status_events_workspace_id_message_id_messages_workspace_id_id_fk" FOREIGN KEY ("workspace_id","message_id") REFERENCES "public"."messages"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "templates" ADD CONSTRAINT "templates_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage" ADD CONSTRAINT "usage_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_api_key" ON "api_keys" USING btree ("api_key");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_ref" ON "api_keys" USING btree ("workspace_id","ref");--> statement-breakpoint
CREATE UNIQUE INDEX "contacts_phone" ON "contacts" USING btree ("workspace_id","phone");--> statement-breakpoint
CREATE UNIQUE INDEX "contacts_ref" ON "contacts" USING btree ("workspace_id","ref");--> statement-breakpoint
CREATE INDEX "contacts_created" ON "contacts" USING btree ("workspace_id","created_at","id");--> statement-breakpoint
CREATE INDEX "contacts_whatsapp_user" ON "contacts" USING btree ("workspace_id","whatsapp_user_id") WHERE "contacts"."whatsapp_user_id" is not null;--> statement-breakpoint
CREATE INDEX "flow_sessions_open" ON "flow_sessions" USING btree ("workspace_id","contact_id") WHERE "flow_sessions"."closed_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree ("email");--> statement-breakpoint
CREATE UNIQUE INDEX "workspaces_ref" ON "workspaces" USING btree ("ref");--> statement-breakpoint
CREATE UNIQUE INDEX "messages_idempotency_key" ON "messages" USING btree ("workspace_id","mode","idempotency_key");--> statement-breakpoint
CREATE INDEX "messages_created" ON "messages" USING btree ("workspace_id","created_at","id");--> statement-breakpoint
CREATE INDEX "messages_whatsapp_id" ON "messages" USING btree ("workspace_id","phone_number_id","whatsapp_message_id") WHERE "messages"."whatsapp_message_id" is not null;--> statement-breakpoint
CREATE INDEX "messages_in_flight" ON "messages" USING btree ("lease_expires_at") WHERE "messages"."phase" in ('ACCEPTED', 'DISPATCHING');--> statement-breakpoint
CREATE UNIQUE INDEX "phone_numbers_ref" ON "phone_numbers" USING btree ("workspace_id","ref");--> statement-breakpoint
CREATE UNIQUE INDEX "phone_numbers_whatsapp" ON "phone_numbers" USING btree ("workspace_id","mode","whatsapp_phone_number_id");--> statement-breakpoint
CREATE INDEX "phone_numbers_webhook" ON "phone_numbers" USING btree ("whatsapp_phone_number_id");--> statement-breakpoint
CREATE INDEX "phone_numbers_business_account" ON "phone_numbers" USING btree ("whatsapp_business_account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "status_events_digest" ON "status_events" USING btree ("workspace_id","phone_number_id","digest");--> statement-breakpoint
CREATE INDEX "status_events_message" ON "status_events" USING btree ("workspace_id","message_id");--> statement-breakpoint
CREATE INDEX "status_events_unmatched" ON "status_events" USING btree ("workspace_id","phone_number_id","whatsapp_message_id") WHERE "status_events"."message_id" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "templates_name_language" ON "templates" USING btree ("workspace_id","mode","whatsapp_business_account_id","name","language");--> statement-breakpoint
CREATE INDEX "templates_business_account" ON "templates" USING btree ("whatsapp_business_account_id","whatsapp_template_id");--> statement-breakpoint
CREATE INDEX "unhandled_webhooks_received" ON "unhandled_webhooks" USING btree ("received_at");--> statement-breakpoint
ALTER TABLE "rate_windows" SET UNLOGGED;
