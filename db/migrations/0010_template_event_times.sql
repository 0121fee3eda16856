ALTER TABLE "templates" ADD COLUMN "category_changed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "templates" ADD COLUMN "quality_changed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "templates" ADD COLUMN "components_changed_at" timestamp (3) with time zone;