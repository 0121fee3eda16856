ALTER TABLE "workspaces" ADD COLUMN "counted_time_zone" text;--> statement-breakpoint
-- The others are counted again: their days are of two time zones.
UPDATE "workspaces" w SET "counted_time_zone" = "time_zone"
WHERE NOT EXISTS (
  SELECT FROM "message_days" d WHERE d."workspace_id" = w."id" AND d."day" <> date_trunc('day', d."day", w."time_zone")
);
