CREATE TABLE "usage_shares" (
	"workspace_id" text NOT NULL,
	"month" date NOT NULL,
	"slot" smallint NOT NULL,
	"units_left" integer NOT NULL,
	"message_limit" integer,
	CONSTRAINT "usage_shares_workspace_id_month_slot_pk" PRIMARY KEY("workspace_id","month","slot"),
	CONSTRAINT "usage_shares_left" CHECK ("usage_shares"."units_left" >= 0)
);
--> statement-breakpoint
ALTER TABLE "usage_shares" ADD CONSTRAINT "usage_shares_workspace_id_month_usage_workspace_id_month_fk" FOREIGN KEY ("workspace_id","month") REFERENCES "public"."usage"("workspace_id","month") ON DELETE cascade ON UPDATE no action;