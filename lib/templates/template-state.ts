import type { Template } from "@/db/schema/business-accounts";
import { applyComponentsUpdate, type TemplateEvent } from "@/lib/whatsapp/template-webhooks";

/** The fields of a template that events can change. `components` is null if it was not read. */
export type TemplateState = Pick<
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
 * Returns the template after these events, applied in the order of their times; with equal times the later one wins.
 * An event older than the last about the same part is ignored; one older than the last sync can only change the time
 * of the status.
 */
export function applyEvents(current: TemplateState, events: readonly TemplateEvent[]): TemplateState {
  return events.toSorted((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime()).reduce(afterEvent, current);
}

function afterEvent(current: TemplateState, { change, occurredAt: at }: TemplateEvent): TemplateState {
  const unlessLate = (part: PartTime, changes: Partial<TemplateState>): Partial<TemplateState> =>
    isOlder(at, current[part]) || isOlder(at, current.syncedAt) ? {} : changes;
  switch (change.kind) {
    case "status": {
      const { status, rejectedReason, category } = change;
      const moved = status === null ? {} : { status, statusChangedAt: at };
      // If a sync was faster than the event, the status is already known, but not its time.
      const since = status === current.status && !isOlder(at, current.statusChangedAt) ? { statusChangedAt: at } : {};
      return {
        ...current,
        ...since,
        ...unlessLate("statusChangedAt", { ...moved, rejectedReason }),
        ...(category === null ? {} : unlessLate("categoryChangedAt", { category, categoryChangedAt: at })),
      };
    }
    case "quality":
      return {
        ...current,
        ...unlessLate("qualityChangedAt", { qualityScore: change.qualityScore, qualityChangedAt: at }),
      };
    case "category":
      return { ...current, ...unlessLate("categoryChangedAt", { category: change.category, categoryChangedAt: at }) };
    case "components": {
      if (current.components === null) return current;
      const components = applyComponentsUpdate(current.components, change.update);
      return { ...current, ...unlessLate("componentsChangedAt", { components, componentsChangedAt: at }) };
    }
  }
}

/** Event times have whole seconds: an event in the same second as a sync may be newer, so it is applied. */
const isOlder = (at: Date, other: Date | null): boolean => other !== null && secondOf(at) < secondOf(other);

const secondOf = (instant: Date): number => Math.floor(instant.getTime() / 1_000);
