CREATE TABLE "outcome_hours" (
	"workspace_id" text NOT NULL,
	"mode" "mode" NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"status" "message_status" NOT NULL,
	"failure_code" integer DEFAULT 0 NOT NULL,
	"phone_number_id" text NOT NULL,
	"api_key_id" text NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "outcome_hours_key" PRIMARY KEY("workspace_id","mode","hour","status","failure_code","phone_number_id","api_key_id")
);
--> statement-breakpoint
ALTER TABLE "outcome_hours" ADD CONSTRAINT "outcome_hours_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
INSERT INTO "outcome_hours" ("workspace_id", "mode", "hour", "status", "failure_code", "phone_number_id", "api_key_id", "count")
SELECT "workspace_id", "mode", "hour", "status", "failure_code", "phone_number_id", "api_key_id", sum("count")
FROM "message_hours" GROUP BY 1, 2, 3, 4, 5, 6, 7;
