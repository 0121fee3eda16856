CREATE TABLE "messages_by_day" (
	"workspace_id" text NOT NULL,
	"mode" "mode" NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"status" "message_status" NOT NULL,
	"failure_code" integer DEFAULT 0 NOT NULL,
	"phone_number_id" text NOT NULL,
	"api_key_id" text NOT NULL,
	"type" "message_type" NOT NULL,
	"template_name" text NOT NULL,
	"template_language" text NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "messages_by_day_key" PRIMARY KEY("workspace_id","mode","starts_at","status","failure_code","phone_number_id","api_key_id","type","template_name","template_language")
);
--> statement-breakpoint
CREATE TABLE "messages_by_quarter" (
	"workspace_id" text NOT NULL,
	"mode" "mode" NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"status" "message_status" NOT NULL,
	"failure_code" integer DEFAULT 0 NOT NULL,
	"phone_number_id" text NOT NULL,
	"api_key_id" text NOT NULL,
	"type" "message_type" NOT NULL,
	"template_name" text NOT NULL,
	"template_language" text NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "messages_by_quarter_key" PRIMARY KEY("workspace_id","mode","starts_at","status","failure_code","phone_number_id","api_key_id","type","template_name","template_language")
);
--> statement-breakpoint
CREATE TABLE "priced_by_day" (
	"workspace_id" text NOT NULL,
	"mode" "mode" NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"phone_number_id" text NOT NULL,
	"api_key_id" text NOT NULL,
	"template_name" text NOT NULL,
	"country" text NOT NULL,
	"category" text NOT NULL,
	"type" text NOT NULL,
	"billable" boolean NOT NULL,
	"count" integer NOT NULL,
	"delivered" integer NOT NULL,
	CONSTRAINT "priced_by_day_key" PRIMARY KEY("workspace_id","mode","starts_at","phone_number_id","api_key_id","template_name","country","category","type","billable")
);
--> statement-breakpoint
CREATE TABLE "priced_by_quarter" (
	"workspace_id" text NOT NULL,
	"mode" "mode" NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"phone_number_id" text NOT NULL,
	"api_key_id" text NOT NULL,
	"template_name" text NOT NULL,
	"country" text NOT NULL,
	"category" text NOT NULL,
	"type" text NOT NULL,
	"billable" boolean NOT NULL,
	"count" integer NOT NULL,
	"delivered" integer NOT NULL,
	CONSTRAINT "priced_by_quarter_key" PRIMARY KEY("workspace_id","mode","starts_at","phone_number_id","api_key_id","template_name","country","category","type","billable")
);
--> statement-breakpoint
ALTER TABLE "workspaces" ADD COLUMN "days_counted_by" text;--> statement-breakpoint
ALTER TABLE "messages_by_day" ADD CONSTRAINT "messages_by_day_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages_by_quarter" ADD CONSTRAINT "messages_by_quarter_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "priced_by_day" ADD CONSTRAINT "priced_by_day_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "priced_by_quarter" ADD CONSTRAINT "priced_by_quarter_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;