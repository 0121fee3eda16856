ALTER TABLE "unhandled_webhooks" ADD COLUMN "kind" text DEFAULT 'earlier' NOT NULL;--> statement-breakpoint
ALTER TABLE "unhandled_webhooks" ADD COLUMN "field" text;--> statement-breakpoint
ALTER TABLE "unhandled_webhooks" ADD COLUMN "whatsapp_business_account_id" text;--> statement-breakpoint
ALTER TABLE "unhandled_webhooks" ADD COLUMN "whatsapp_phone_number_id" text;--> statement-breakpoint
CREATE INDEX "unhandled_webhooks_number" ON "unhandled_webhooks" USING btree ("whatsapp_phone_number_id","kind","received_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "unhandled_webhooks_account" ON "unhandled_webhooks" USING btree ("whatsapp_business_account_id","kind","received_at" DESC NULLS LAST) WHERE whatsapp_phone_number_id is null;