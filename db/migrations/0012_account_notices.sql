CREATE TABLE "account_notices" (
	"workspace_id" text NOT NULL,
	"whatsapp_business_account_id" text NOT NULL,
	"number" text NOT NULL,
	"kind" text NOT NULL,
	"event" text NOT NULL,
	"detail" text NOT NULL,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"is_alarm" boolean NOT NULL,
	CONSTRAINT "account_notices_workspace_id_whatsapp_business_account_id_number_kind_pk" PRIMARY KEY("workspace_id","whatsapp_business_account_id","number","kind")
);
--> statement-breakpoint
ALTER TABLE "account_notices" ADD CONSTRAINT "account_notices_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- What the one column of a line still knows of trouble becomes its notice; where it was overwritten, the next event or check tells.
INSERT INTO "account_notices" ("workspace_id", "whatsapp_business_account_id", "number", "kind", "event", "detail", "occurred_at", "is_alarm")
SELECT DISTINCT ON (1, 2, 3, 4) "workspace_id", "whatsapp_business_account_id",
  CASE WHEN known.kind IN ('status', 'flag') THEN regexp_replace("display_phone_number", '\D', '', 'g') ELSE '' END,
  known.kind, split_part("platform_event", ':', 1),
  CASE WHEN known.kind = 'ban' THEN json_build_object('state', split_part("platform_event", ': ', 2))::text ELSE '{}' END,
  date_trunc('second', "updated_at"), true
FROM "phone_numbers" CROSS JOIN LATERAL (
  SELECT CASE
    WHEN "platform_event" = 'FLAGGED' THEN 'flag'
    WHEN "platform_event" IN ('PENDING', 'DISCONNECTED', 'BANNED', 'DELETED', 'MIGRATED', 'RATE_LIMITED', 'RESTRICTED', 'UNVERIFIED') THEN 'status'
    WHEN "platform_event" LIKE 'DISABLED_UPDATE: %' AND "platform_event" NOT LIKE '%REINSTATE' THEN 'ban'
    WHEN "platform_event" = 'ACCOUNT_DELETED' THEN 'deletion'
    WHEN "platform_event" = 'PARTNER_REMOVED' THEN 'partner'
    WHEN "platform_event" = 'PARTNER_APP_UNINSTALLED' THEN 'app'
    WHEN "platform_event" = 'ACCOUNT_OFFBOARDED' THEN 'connection'
  END AS kind
) known
WHERE "mode" = 'live' AND "disconnected_at" IS NULL AND known.kind IS NOT NULL
ON CONFLICT DO NOTHING;
