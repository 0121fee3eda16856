CREATE TABLE "key_usage" (
	"workspace_id" text NOT NULL,
	"api_key_id" text NOT NULL,
	"month" date NOT NULL,
	"used" integer NOT NULL,
	"cap" integer NOT NULL,
	CONSTRAINT "key_usage_workspace_id_api_key_id_month_pk" PRIMARY KEY("workspace_id","api_key_id","month"),
	CONSTRAINT "key_usage_within_cap" CHECK ("key_usage"."used" <= "key_usage"."cap")
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "limits" jsonb;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "key_unit_month" date;--> statement-breakpoint
ALTER TABLE "key_usage" ADD CONSTRAINT "key_usage_workspace_id_api_key_id_api_keys_workspace_id_id_fk" FOREIGN KEY ("workspace_id","api_key_id") REFERENCES "public"."api_keys"("workspace_id","id") ON DELETE cascade ON UPDATE no action;