ALTER TABLE "sessions" ADD COLUMN "code_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "factor_secret" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "factor_step" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "recovery_hashes" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "workspaces" ADD COLUMN "requires_second_factor" boolean DEFAULT false NOT NULL;