import type { Template } from "@/db/schema";
import { applyComponentsUpdate } from "@/lib/whatsapp/components-update";
import type { TemplateEvent } from "@/lib/whatsapp/template-webhooks";

/** What events may change of a template. `components` is null where it was not read, as no event concerns it. */
export type Standing = Pick<
  Template,
  | "status"
  | "statusChangedAt"
  | "rejectedReason"
  | "category"
  | "categoryChangedAt"
  | "qualityScore"
  | "qualityChangedAt"
  | "componentsChangedAt"
  | "syncedAt"
> & { components: unknown[] | null };

type PartTime = "statusChangedAt" | "categoryChangedAt" | "qualityChangedAt" | "componentsChangedAt";

/**
 * Returns the template after these events, in the order of their own times; of the same time the later in the list wins.
 * An event older than the last one about the same part changes nothing, and one older than the last sync at most since when
 * the template has its status.
 */
export function afterEvents(standing: Standing, events: readonly TemplateEvent[]): Standing {
  return events.toSorted((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime()).reduce(afterEvent, standing);
}

const afterEvent = (standing: Standing, { change, occurredAt: at }: TemplateEvent): Standing => {
  const unlessLate = (part: PartTime, changes: Partial<Standing>): Partial<Standing> =>
    isOlder(at, standing[part]) || isOlder(at, standing.syncedAt) ? {} : changes;
  switch (change.kind) {
    case "status": {
      const { status, rejectedReason, category } = change;
      const moved = status === null ? {} : { status, statusChangedAt: at };
      // A list that was faster than the event says that the template has this status, but not since when.
      const since = status === standing.status && !isOlder(at, standing.statusChangedAt) ? { statusChangedAt: at } : {};
      return {
        ...standing,
        ...since,
        ...unlessLate("statusChangedAt", { ...moved, rejectedReason }),
        ...(category === null ? {} : unlessLate("categoryChangedAt", { category, categoryChangedAt: at })),
      };
    }
    case "quality":
      return {
        ...standing,
        ...unlessLate("qualityChangedAt", { qualityScore: change.qualityScore, qualityChangedAt: at }),
      };
    case "category":
      return { ...standing, ...unlessLate("categoryChangedAt", { category: change.category, categoryChangedAt: at }) };
    case "components": {
      if (standing.components === null) return standing;
      const components = applyComponentsUpdate(standing.components, change.update);
      return { ...standing, ...unlessLate("componentsChangedAt", { components, componentsChangedAt: at }) };
    }
    default:
      return change satisfies never;
  }
};

/** Events come in whole seconds: one of the second of a sync may be newer than it, and repeats it if it is not. */
const isOlder = (at: Date, other: Date | null): boolean => other !== null && secondOf(at) < secondOf(other);

const secondOf = (instant: Date): number => Math.floor(instant.getTime() / 1_000);
