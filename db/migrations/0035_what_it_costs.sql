CREATE TABLE "cost_reads" (
	"workspace_id" text NOT NULL,
	"whatsapp_business_account_id" text NOT NULL,
	"not_before" timestamp (3) with time zone NOT NULL,
	"read_at" timestamp (3) with time zone,
	"currency" text,
	"last_error" text,
	CONSTRAINT "cost_reads_workspace_id_whatsapp_business_account_id_pk" PRIMARY KEY("workspace_id","whatsapp_business_account_id")
);
--> statement-breakpoint
CREATE TABLE "rate_cards" (
	"workspace_id" text PRIMARY KEY NOT NULL,
	"uploaded_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"budget" numeric(18, 2),
	"budget_currency" text
);
--> statement-breakpoint
CREATE TABLE "rates" (
	"workspace_id" text NOT NULL,
	"country" text NOT NULL,
	"category" text NOT NULL,
	"is_regional" boolean NOT NULL,
	"valid_from" date NOT NULL,
	"price" numeric(18, 8) NOT NULL,
	"currency" text NOT NULL,
	CONSTRAINT "rates_workspace_id_country_category_is_regional_valid_from_pk" PRIMARY KEY("workspace_id","country","category","is_regional","valid_from")
);
--> statement-breakpoint
CREATE TABLE "reported_days" (
	"workspace_id" text NOT NULL,
	"whatsapp_business_account_id" text NOT NULL,
	"day" date NOT NULL,
	"country" text NOT NULL,
	"category" text NOT NULL,
	"type" text NOT NULL,
	"volume" integer NOT NULL,
	"cost" numeric(18, 8),
	CONSTRAINT "reported_days_key" PRIMARY KEY("workspace_id","whatsapp_business_account_id","day","country","category","type")
);
--> statement-breakpoint
CREATE TABLE "priced_days" (
	"workspace_id" text NOT NULL,
	"mode" "mode" NOT NULL,
	"day" timestamp (3) with time zone NOT NULL,
	"phone_number_id" text NOT NULL,
	"api_key_id" text NOT NULL,
	"template_name" text NOT NULL,
	"country" text NOT NULL,
	"category" text NOT NULL,
	"type" text NOT NULL,
	"billable" boolean NOT NULL,
	"count" integer NOT NULL,
	"delivered" integer NOT NULL,
	CONSTRAINT "priced_days_key" PRIMARY KEY("workspace_id","mode","day","phone_number_id","api_key_id","template_name","country","category","type","billable")
);
--> statement-breakpoint
CREATE TABLE "priced_hours" (
	"workspace_id" text NOT NULL,
	"mode" "mode" NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"phone_number_id" text NOT NULL,
	"api_key_id" text NOT NULL,
	"template_name" text NOT NULL,
	"country" text NOT NULL,
	"category" text NOT NULL,
	"type" text NOT NULL,
	"billable" boolean NOT NULL,
	"count" integer NOT NULL,
	"delivered" integer NOT NULL,
	CONSTRAINT "priced_hours_key" PRIMARY KEY("workspace_id","mode","hour","phone_number_id","api_key_id","template_name","country","category","type","billable")
);
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "pricing_billable" boolean;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "pricing_type" text;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "pricing_category" text;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "pricing_model" text;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "priced_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "recipient_country" text;--> statement-breakpoint
ALTER TABLE "cost_reads" ADD CONSTRAINT "cost_reads_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rate_cards" ADD CONSTRAINT "rate_cards_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rates" ADD CONSTRAINT "rates_workspace_id_rate_cards_workspace_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."rate_cards"("workspace_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reported_days" ADD CONSTRAINT "reported_days_read" FOREIGN KEY ("workspace_id","whatsapp_business_account_id") REFERENCES "public"."cost_reads"("workspace_id","whatsapp_business_account_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "priced_days" ADD CONSTRAINT "priced_days_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "priced_hours" ADD CONSTRAINT "priced_hours_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- As in 0016, with what WhatsApp charges: as text, because every other part of a snapshot is text.
CREATE OR REPLACE FUNCTION write_message_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	moved boolean := NEW.status IS DISTINCT FROM OLD.status;
	types text[] := '{}';
	times timestamptz[] := '{}';
BEGIN
	-- One update may say several things: a webhook can report delivered and read at once.
	IF (OLD.sent_at IS NULL AND NEW.sent_at IS NOT NULL) OR (moved AND NEW.status = 'SENT') THEN
		types := types || 'message.sent'::text;
		times := times || coalesce(NEW.sent_at, now());
	END IF;
	IF (OLD.delivered_at IS NULL AND NEW.delivered_at IS NOT NULL) OR (moved AND NEW.status = 'DELIVERED') THEN
		types := types || 'message.delivered'::text;
		times := times || coalesce(NEW.delivered_at, now());
	END IF;
	IF (OLD.read_at IS NULL AND NEW.read_at IS NOT NULL) OR (moved AND NEW.status = 'READ') THEN
		types := types || 'message.read'::text;
		times := times || coalesce(NEW.read_at, now());
	END IF;
	IF moved AND NEW.status = 'FAILED' THEN
		types := types || 'message.failed'::text;
		times := times || coalesce(NEW.failed_at, now());
	END IF;
	IF moved AND NEW.status = 'UNKNOWN' THEN
		types := types || 'message.unknown'::text;
		times := times || now();
	END IF;
	IF types = '{}' THEN
		RETURN NEW;
	END IF;
	NEW.event_count := OLD.event_count + cardinality(types);
	INSERT INTO webhook_deliveries (workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at)
	SELECT NEW.workspace_id, 'whd_' || replace(gen_random_uuid()::text, '-', ''), e.id, event.type, NEW.id,
		OLD.event_count + event.number,
		jsonb_build_object(
			'status', NEW.status, 'whatsappMessageId', NEW.whatsapp_message_id, 'failureReason', NEW.failure_reason,
			'sentAt', NEW.sent_at, 'deliveredAt', NEW.delivered_at, 'readAt', NEW.read_at,
			'pricing', CASE WHEN NEW.priced_at IS NOT NULL THEN json_build_object(
				'billable', NEW.pricing_billable, 'type', NEW.pricing_type, 'category', NEW.pricing_category,
				'model', NEW.pricing_model)::text END),
		event.at
	FROM webhook_endpoints e
	CROSS JOIN unnest(types, times) WITH ORDINALITY AS event (type, at, number)
	WHERE e.workspace_id = NEW.workspace_id AND e.mode = NEW.mode AND e.deleted_at IS NULL AND e.events ? event.type
	ORDER BY event.number, e.id;
	RETURN NEW;
END $$;
--> statement-breakpoint
-- The release before counts on beside this one, with a mark of its own: it knows no pricing.
INSERT INTO "roll_up_marks" ("id", "until") SELECT 'priced-days', "until" FROM "roll_up_marks" WHERE "id" = 'message-days';
