CREATE TYPE "public"."delivery_state" AS ENUM('PENDING', 'DELIVERED', 'FAILED');--> statement-breakpoint
CREATE TABLE "webhook_attempts" (
	"workspace_id" text NOT NULL,
	"delivery_id" text NOT NULL,
	"number" integer NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"status_code" smallint,
	"failure" text,
	"response" text,
	CONSTRAINT "webhook_attempts_workspace_id_delivery_id_number_pk" PRIMARY KEY("workspace_id","delivery_id","number")
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"endpoint_id" text NOT NULL,
	"position" bigint GENERATED ALWAYS AS IDENTITY (sequence name "webhook_deliveries_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"type" text NOT NULL,
	"subject_id" text NOT NULL,
	"sequence" integer NOT NULL,
	"snapshot" jsonb NOT NULL,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"state" "delivery_state" DEFAULT 'PENDING' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"replayed_after" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhook_deliveries_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"workspace_id" text NOT NULL,
	"id" text NOT NULL,
	"mode" "mode" NOT NULL,
	"slot" smallint NOT NULL,
	"url" text NOT NULL,
	"label" text NOT NULL,
	"events" jsonb NOT NULL,
	"secret" text NOT NULL,
	"previous_secret" text,
	"previous_secret_ends_at" timestamp (3) with time zone,
	"paused_at" timestamp (3) with time zone,
	"paused_by" text,
	"failing_since" timestamp (3) with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"held_until" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhook_endpoints_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "webhook_endpoints_slots" CHECK ("webhook_endpoints"."slot" between 1 and 5)
);
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "event_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "templates" ADD COLUMN "event_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_workspace_id_delivery_id_webhook_deliveries_workspace_id_id_fk" FOREIGN KEY ("workspace_id","delivery_id") REFERENCES "public"."webhook_deliveries"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_workspace_id_endpoint_id_webhook_endpoints_workspace_id_id_fk" FOREIGN KEY ("workspace_id","endpoint_id") REFERENCES "public"."webhook_endpoints"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("workspace_id","endpoint_id","next_attempt_at","position") WHERE "webhook_deliveries"."state" = 'PENDING';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_order" ON "webhook_deliveries" USING btree ("workspace_id","endpoint_id","subject_id","position") WHERE "webhook_deliveries"."state" = 'PENDING';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_subject" ON "webhook_deliveries" USING btree ("workspace_id","subject_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_created" ON "webhook_deliveries" USING btree ("workspace_id","endpoint_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_endpoints_slot" ON "webhook_endpoints" USING btree ("workspace_id","mode","slot") WHERE "webhook_endpoints"."deleted_at" is null;--> statement-breakpoint
CREATE FUNCTION write_message_events() RETURNS trigger LANGUAGE plpgsql AS $$
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
			'sentAt', NEW.sent_at, 'deliveredAt', NEW.delivered_at, 'readAt', NEW.read_at),
		event.at
	FROM webhook_endpoints e
	CROSS JOIN unnest(types, times) WITH ORDINALITY AS event (type, at, number)
	WHERE e.workspace_id = NEW.workspace_id AND e.mode = NEW.mode AND e.deleted_at IS NULL AND e.events ? event.type
	ORDER BY event.number, e.id;
	RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER messages_write_events BEFORE UPDATE ON messages FOR EACH ROW
	WHEN ((OLD.status, OLD.sent_at, OLD.delivered_at, OLD.read_at) IS DISTINCT FROM (NEW.status, NEW.sent_at, NEW.delivered_at, NEW.read_at))
	EXECUTE FUNCTION write_message_events();
--> statement-breakpoint
CREATE FUNCTION write_template_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	event text := 'template.' || lower(NEW.status);
BEGIN
	NEW.event_count := OLD.event_count + 1;
	INSERT INTO webhook_deliveries (workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at)
	SELECT NEW.workspace_id, 'whd_' || replace(gen_random_uuid()::text, '-', ''), e.id, event, NEW.id, NEW.event_count,
		jsonb_build_object(
			'name', NEW.name, 'language', NEW.language, 'category', NEW.category, 'status', NEW.status,
			'rejectedReason', NEW.rejected_reason),
		coalesce(NEW.status_changed_at, now())
	FROM webhook_endpoints e
	WHERE e.workspace_id = NEW.workspace_id AND e.mode = NEW.mode AND e.deleted_at IS NULL AND e.events ? event
	ORDER BY e.id;
	RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER templates_write_events BEFORE UPDATE ON templates FOR EACH ROW
	WHEN (OLD.status IS DISTINCT FROM NEW.status AND NEW.status IN ('APPROVED', 'REJECTED', 'PAUSED', 'DISABLED'))
	EXECUTE FUNCTION write_template_events();
