CREATE TABLE "template_reads" (
	"workspace_id" text NOT NULL,
	"whatsapp_business_account_id" text NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"asked_at" timestamp (3) with time zone,
	"asked_name" text,
	"not_before" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone,
	"claimed_until" timestamp (3) with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	CONSTRAINT "template_reads_workspace_id_whatsapp_business_account_id_pk" PRIMARY KEY("workspace_id","whatsapp_business_account_id")
);
--> statement-breakpoint
ALTER TABLE "template_reads" ADD CONSTRAINT "template_reads_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "template_reads_due" ON "template_reads" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "template_reads_asked" ON "template_reads" USING btree ("asked_at");