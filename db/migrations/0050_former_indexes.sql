-- In a transaction of its own: 0044 and 0047 let statements read while they built those that take their place.
DROP INDEX "webhook_deliveries_waiting";--> statement-breakpoint
DROP INDEX "webhook_deliveries_order";--> statement-breakpoint
DROP INDEX "webhook_deliveries_subject";--> statement-breakpoint
DROP INDEX "webhook_deliveries_created";--> statement-breakpoint
DROP INDEX "webhook_deliveries_due";--> statement-breakpoint
DROP INDEX "contacts_ref";--> statement-breakpoint
DROP INDEX "contacts_name";
