CREATE TABLE "conversation_starts" (
	"workspace_id" text NOT NULL,
	"whatsapp_business_account_id" text NOT NULL,
	"contact_id" text NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "conversation_starts_workspace_id_whatsapp_business_account_id_contact_id_pk" PRIMARY KEY("workspace_id","whatsapp_business_account_id","contact_id")
);
--> statement-breakpoint
ALTER TABLE "template_reads" ADD COLUMN "portfolio_id" text;--> statement-breakpoint
ALTER TABLE "template_reads" ADD COLUMN "portfolio_name" text;--> statement-breakpoint
ALTER TABLE "template_reads" ADD COLUMN "people_begun" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "template_reads" ADD COLUMN "people_counted_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "conversation_starts" ADD CONSTRAINT "conversation_starts_workspace_id_contact_id_contacts_workspace_id_id_fk" FOREIGN KEY ("workspace_id","contact_id") REFERENCES "public"."contacts"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "conversation_starts_started" ON "conversation_starts" USING btree ("started_at");