CREATE TABLE "contact_aliases" (
	"workspace_id" text NOT NULL,
	"wa_id" text NOT NULL,
	"contact_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "contact_aliases_workspace_id_wa_id_contact_id_pk" PRIMARY KEY("workspace_id","wa_id","contact_id")
);
--> statement-breakpoint
CREATE TABLE "flow_replies" (
	"workspace_id" text NOT NULL,
	"phone_number_id" text NOT NULL,
	"whatsapp_message_id" text NOT NULL,
	"received_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "flow_replies_workspace_id_phone_number_id_whatsapp_message_id_pk" PRIMARY KEY("workspace_id","phone_number_id","whatsapp_message_id")
);
--> statement-breakpoint
ALTER TABLE "contacts" ALTER COLUMN "phone" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "contact_aliases" ADD CONSTRAINT "contact_aliases_workspace_id_contact_id_contacts_workspace_id_id_fk" FOREIGN KEY ("workspace_id","contact_id") REFERENCES "public"."contacts"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flow_replies" ADD CONSTRAINT "flow_replies_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "contact_aliases_contact" ON "contact_aliases" USING btree ("workspace_id","contact_id");--> statement-breakpoint
CREATE INDEX "flow_replies_received" ON "flow_replies" USING btree ("received_at");--> statement-breakpoint
CREATE UNIQUE INDEX "contacts_user_only" ON "contacts" USING btree ("workspace_id","whatsapp_user_id") WHERE "contacts"."phone" is null;