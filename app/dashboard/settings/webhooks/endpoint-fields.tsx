"use client";

import { useIssue } from "@/app/_components/action-form";
import { Field } from "@/app/_components/field";
import { EVENT_GROUPS, EVENT_HINTS } from "@/lib/public-api/event-types";

export type EndpointSettings = { label: string; url: string; events: readonly string[] };

/** Every message event, and nowhere to send it yet. */
export const NEW_SETTINGS: EndpointSettings = { label: "", url: "", events: EVENT_GROUPS[0]?.types ?? [] };

type Props = { settings: EndpointSettings; urlHint: string };

/** What is chosen of an endpoint, when it is added and later. */
export function EndpointFields({ settings: { label, url, events }, urlHint }: Props) {
  return (
    <>
      <Field
        label="Label"
        name="label"
        defaultValue={label}
        required
        maxLength={50}
        autoComplete="off"
        hint="The system that receives the events, such as “Orders, production”."
        data-first-focus
      />
      <Field
        label="URL"
        name="url"
        defaultValue={url}
        required
        inputMode="url"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        placeholder="https://example.com/webhooks"
        hint={urlHint}
      />
      <Events chosen={events} />
    </>
  );
}

const TITLES = { message: "Message events", template: "Template events" } as const;

function Events({ chosen }: { chosen: readonly string[] }) {
  const issue = useIssue("events");
  return (
    <div className="grid gap-3">
      {EVENT_GROUPS.map(({ about, types }) => (
        <fieldset key={about} aria-describedby={issue ? "events-issue" : undefined} className="grid gap-1">
          <legend className="mb-1 font-medium">{TITLES[about]}</legend>
          {types.map((type) => (
            <label key={type} className="flex min-h-6 items-start gap-2 py-0.5 pointer-coarse:min-h-11">
              <input
                type="checkbox"
                name="events"
                value={type}
                defaultChecked={chosen.includes(type)}
                className="mt-[3px] size-4 shrink-0 accent-accent"
              />
              <span className="min-w-0">
                <code className="font-mono text-sm">{type}</code>{" "}
                <span className="block text-sm text-muted sm:inline">{EVENT_HINTS[type]}</span>
              </span>
            </label>
          ))}
        </fieldset>
      ))}
      {issue ? (
        <p id="events-issue" className="text-sm text-danger">
          {issue}
        </p>
      ) : null}
    </div>
  );
}
