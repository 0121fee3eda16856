"use client";

import type { ReactNode } from "react";
import { DialogForm } from "@/app/_components/dialog";
import { Field, Issue, Tick, useIssue } from "@/app/_components/form";
import { TextLink } from "@/app/_components/link";
import { Notice } from "@/app/_components/panels";
import type { Mode } from "@/lib/core/principal";
import { sentenceCase } from "@/lib/core/text";
import { EVENT_GROUPS, EVENT_HINTS } from "@/lib/outgoing/events/event-types";
import { OverlapSelect, ShownOnceDialog, ShownOnceValue } from "../_components/shown-once-dialog";
import { change, create, createSlack, rotate } from "./actions";

type Props = {
  mode: Mode;
  urlHint: string;
  /** Why the button is disabled. */
  lack: string | undefined;
};

export function AddEndpoint({ mode, urlHint, lack }: Props) {
  return (
    <div className="grid max-w-64 justify-items-start gap-1 sm:justify-items-end">
      <DialogForm
        disabled={lack !== undefined}
        aria-describedby={lack === undefined ? undefined : "no-more-endpoints"}
        icon="plus"
        opener="Add endpoint"
        title={`Add a ${mode} endpoint`}
        opensToCreate={lack === undefined}
        action={create}
        fields={{ mode }}
        confirm="Add endpoint"
        busy="Adding…"
        shownOnce={({ secret }, close) => (
          <EndpointSecretDialog secret={secret} title="Endpoint added" onDone={close} />
        )}
      >
        <EndpointFields settings={NEW_SETTINGS} urlHint={urlHint} />
      </DialogForm>
      {lack === undefined ? null : (
        <p id="no-more-endpoints" className="text-sm text-muted sm:text-end">
          {lack}
        </p>
      )}
    </div>
  );
}

/** Alerts in a channel: of Slack, or of a service that accepts Slack's incoming webhooks. */
export function AddSlackChannel({ lack }: { lack: string | undefined }) {
  return (
    <DialogForm
      look="secondary"
      disabled={lack !== undefined}
      opener="Add Slack channel"
      title="Send alerts to Slack"
      action={createSlack}
      confirm="Add channel"
      busy="Adding…"
    >
      <LabelField hint="The channel, such as “#shop-alerts”." />
      <UrlField
        label="Webhook URL"
        placeholder="https://hooks.slack.com/services/…"
        hint="In Slack: Apps → Incoming Webhooks → Add to Slack. Mattermost and Google Chat take the same. The URL is stored encrypted and not shown again."
      />
      <p className="text-muted">
        The channel receives alerts of live lines, templates, the quota, keys and endpoints, and when each is over.
      </p>
    </DialogForm>
  );
}

type EndpointSettings = { label: string; url: string; events: readonly string[] };

/** A new endpoint: every message event, and no URL yet. */
const NEW_SETTINGS: EndpointSettings = { label: "", url: "", events: EVENT_GROUPS[0]?.types ?? [] };

type EndpointFieldsProps = { settings: EndpointSettings; urlHint: string };

/** The fields of an endpoint, when it is added and when it is edited. */
function EndpointFields({ settings: { label, url, events }, urlHint }: EndpointFieldsProps) {
  return (
    <>
      <LabelField defaultValue={label} hint="The system that receives the events, such as “Orders, production”." />
      <UrlField label="URL" defaultValue={url} placeholder="https://example.com/webhooks" hint={urlHint} />
      <Events chosen={events} />
    </>
  );
}

function LabelField(props: { defaultValue?: string; hint: string }) {
  return <Field label="Label" name="label" required maxLength={100} {...props} />;
}

function UrlField(props: { label: string; defaultValue?: string; placeholder: string; hint: string }) {
  return <Field name="url" required inputMode="url" autoCapitalize="none" spellCheck={false} {...props} />;
}

function Events({ chosen }: { chosen: readonly string[] }) {
  const issue = useIssue("events");
  return (
    <div className="grid gap-3">
      {EVENT_GROUPS.map(({ about, types }) => (
        <fieldset key={about} aria-describedby={issue ? "events-issue" : undefined} className="grid gap-1">
          <legend className="mb-1 font-medium">{sentenceCase(about)} events</legend>
          {about === "contact" ? (
            <p className="mb-1 text-sm text-muted">
              Off unless you choose them. They carry personal data to this URL: what people write, their names and
              numbers. Here they follow the retention and erasure of contents; there your own rules apply.
            </p>
          ) : null}
          {types.map((type) => (
            <Tick key={type} type="checkbox" name="events" value={type} defaultChecked={chosen.includes(type)}>
              <code className="font-mono text-sm">{type}</code>{" "}
              <span className="block text-sm text-muted sm:inline">{EVENT_HINTS[type]}</span>
            </Tick>
          ))}
        </fieldset>
      ))}
      <Issue id="events-issue" text={issue} />
    </div>
  );
}

type EndpointSecretDialogProps = { secret: string; title: string; onDone: () => void };

function EndpointSecretDialog({ secret, title, onDone }: EndpointSecretDialogProps) {
  return (
    <ShownOnceDialog title={title} onDone={onDone}>
      <p className="mb-4 text-muted">
        Use this secret on your server to verify that events come from Switchboard. It is shown here once. Anyone with
        it can forge events.
      </p>
      <dl className="grid gap-3">
        <ShownOnceValue name="Signing secret" value={secret} mask={`whsec_${"•".repeat(16)}`} />
      </dl>
      <p className="mt-4 text-sm">
        {/* A new tab: leaving this page would lose the secret. */}
        <TextLink href="/docs/webhooks#signature" target="_blank">
          How to check signatures
        </TextLink>{" "}
        <span className="text-muted">(new tab)</span>
      </p>
    </ShownOnceDialog>
  );
}

type EditEndpointProps = { endpoint: EndpointSettings & { id: string }; urlHint: string };

export function EditEndpoint({ endpoint, urlHint }: EditEndpointProps) {
  return (
    <DialogForm
      look="secondary"
      opener="Edit"
      title={`Edit ${endpoint.label}`}
      action={change}
      fields={{ endpointId: endpoint.id }}
      confirm="Save"
      busy="Saving…"
    >
      <EndpointFields settings={endpoint} urlHint={`${urlHint} Waiting events go to the new URL.`} />
    </DialogForm>
  );
}

type RotateEndpointSecretProps = {
  endpoint: { id: string; label: string };
  /** Until when the secret before this one works, where it still does. */
  previousUntil: ReactNode;
};

export function RotateEndpointSecret({ endpoint: { id, label }, previousUntil }: RotateEndpointSecretProps) {
  return (
    <DialogForm
      look="secondary"
      icon="refresh"
      opener="Rotate secret"
      title={`Rotate the secret of ${label}`}
      action={rotate}
      fields={{ endpointId: id }}
      confirm="Rotate"
      busy="Rotating…"
      shownOnce={({ secret }, close) => <EndpointSecretDialog secret={secret} title="New secret" onDone={close} />}
    >
      {previousUntil ? (
        <Notice>
          The previous secret works until {previousUntil}. Rotate again after that, unless a secret has leaked: “Revoke
          now” ends both at once.
        </Notice>
      ) : (
        <p className="text-muted">
          Until the overlap ends each event carries a signature of both secrets, so that your servers can change over
          without a pause.
        </p>
      )}
      <OverlapSelect {...(previousUntil ? { overlaps: ["now"] } : {})} />
    </DialogForm>
  );
}
