ALTER TABLE "webhook_endpoints" DROP CONSTRAINT "webhook_endpoints_slots";--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "listens_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_slots" CHECK ("webhook_endpoints"."slot" between 1 and 8);