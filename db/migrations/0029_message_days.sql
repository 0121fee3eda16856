CREATE TABLE "message_days" (
	"workspace_id" text NOT NULL,
	"mode" "mode" NOT NULL,
	"day" timestamp (3) with time zone NOT NULL,
	"status" "message_status" NOT NULL,
	"failure_code" integer DEFAULT 0 NOT NULL,
	"phone_number_id" text NOT NULL,
	"api_key_id" text NOT NULL,
	"type" "message_type" NOT NULL,
	"template_name" text NOT NULL,
	"template_language" text NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "message_days_key" PRIMARY KEY("workspace_id","mode","day","status","failure_code","phone_number_id","api_key_id","type","template_name","template_language")
);
--> statement-breakpoint
INSERT INTO "message_days"
SELECT h."workspace_id", h."mode", date_trunc('day', h."hour", w."time_zone"), h."status", h."failure_code", h."phone_number_id",
  h."api_key_id", h."type", h."template_name", h."template_language", sum(h."count")
FROM "message_hours" h JOIN "workspaces" w ON w."id" = h."workspace_id" GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10;
--> statement-breakpoint
-- The release before counts on beside this one, with a mark of its own.
INSERT INTO "roll_up_marks" ("id", "until") SELECT 'message-days', "until" FROM "roll_up_marks" WHERE "id" = 'messages';
--> statement-breakpoint
ALTER TABLE "message_days" ADD CONSTRAINT "message_days_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;