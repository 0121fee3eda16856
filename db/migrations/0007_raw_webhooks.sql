ALTER TABLE "messages" ADD COLUMN "failure_trace_id" text;--> statement-breakpoint
ALTER TABLE "status_events" ADD COLUMN "raw" text;