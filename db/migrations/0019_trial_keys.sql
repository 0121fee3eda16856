ALTER TABLE "api_keys" ADD COLUMN "trial_of" text;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_trial" ON "api_keys" USING btree ("trial_of","workspace_id");