"use client";

import { useState } from "react";
import { Button } from "@/app/_components/button";
import { CopyButton } from "@/app/_components/copy-button";
import { DialogForm } from "@/app/_components/dialog";
import { Field, Select } from "@/app/_components/form";
import { optionsOf } from "@/app/_components/options";
import type { KeyLimits, Mode } from "@/lib/core/principal";
import { sentenceCase } from "@/lib/core/text";
import { firstCall } from "@/lib/docs/first-call";
import { KEY_NAME, SECRET_NAME, snippetsOf } from "@/lib/docs/snippets";
import { saveFile } from "../../_components/save-file";
import { OverlapSelect, ShownOnceDialog, ShownOnceValue } from "../_components/shown-once-dialog";
import { changeKeyLimits, createApiKey, rotateApiKey } from "./actions";
import { CollapsedLimits, type LimitChoices, LimitFields } from "./limit-fields";

type CreateKeyProps = { mode: Mode; origin: string; choices: LimitChoices };

export function CreateKey({ mode, origin, choices }: CreateKeyProps) {
  return (
    <DialogForm
      icon="plus"
      opener="Create key"
      title="Create a key"
      opensToCreate
      action={createApiKey}
      confirm="Create key"
      busy="Creating…"
      shownOnce={(secret, close) => <SecretDialog secret={secret} title="Key created" origin={origin} onDone={close} />}
    >
      <Field
        label="Label"
        name="label"
        required
        maxLength={100}
        hint="Which server will use it, such as production or staging."
      />
      <ModeAndLimits mode={mode} choices={choices} />
    </DialogForm>
  );
}

/** Within the dialog, so that it begins with the page's mode each time. */
function ModeAndLimits({ mode: shown, choices }: Pick<CreateKeyProps, "mode" | "choices">) {
  const [mode, setMode] = useState(shown);
  return (
    <>
      <Select
        label="Mode"
        name="mode"
        value={mode}
        onText={(chosen) => setMode(chosen === "live" ? "live" : "test")}
        options={optionsOf(["test", "live"], sentenceCase)}
        hint="A test key never reaches a person and is free."
      />
      <CollapsedLimits key={mode} choices={choices} mode={mode} />
    </>
  );
}

type ChangeLimitsProps = { apiKey: Key; limits: KeyLimits; lastDay: string; choices: LimitChoices };

export function ChangeLimits({ apiKey: key, limits, lastDay, choices }: ChangeLimitsProps) {
  return (
    <DialogForm
      look="secondary"
      icon="settings"
      opener="Change limits"
      title={`Limits of ${key.label}`}
      action={changeKeyLimits}
      fields={{ apiKey: key.apiKey }}
      confirm="Save limits"
      busy="Saving…"
    >
      <p className="text-muted">They apply from the next call on.</p>
      <LimitFields choices={choices} mode={key.mode} limits={limits} lastDay={lastDay} />
    </DialogForm>
  );
}

/** The two halves of a key, while this browser still holds the secret one. */
type NewSecret = Key & { apiSecret: string };

type SecretDialogProps = { secret: NewSecret; title: string; origin: string; onDone: () => void };

export function SecretDialog({ secret, title, origin, onDone }: SecretDialogProps) {
  const envFile = envFileOf(secret, origin);
  const { apiKey, apiSecret } = secret;
  const call = firstCall(secret.mode, apiKey);
  return (
    <ShownOnceDialog title={title} onDone={onDone}>
      <p className="mb-4 text-muted">
        The secret is shown here once and stored nowhere. Anyone with both can send as you.
      </p>
      <dl className="grid gap-3">
        <ShownOnceValue name="apiKey" value={secret.apiKey} />
        <ShownOnceValue name="apiSecret" value={secret.apiSecret} mask={masked(secret.apiSecret)} />
      </dl>
      <div className="mt-4 flex flex-wrap gap-2">
        <span data-copyable>
          <CopyButton value={envFile} label="as .env" word="Copy as .env" />
        </span>
        <Button
          look="secondary"
          size="small"
          icon="download"
          onClick={() => saveFile(`switchboard-${secret.mode}.env`, "text/plain", envFile)}
        >
          Download .env
        </Button>
      </div>
      <figure className="mt-4 overflow-hidden rounded-control border border-hairline bg-surface">
        <figcaption className="flex items-center justify-between gap-2 px-3 pt-2 text-sm text-muted">
          <span>
            First call: the button copies it with the secret in place of{" "}
            <code className="font-mono">${SECRET_NAME}</code>.
          </span>
          <span data-copyable className="shrink-0 whitespace-nowrap">
            <CopyButton
              value={snippetsOf(call, { origin, apiKey, apiSecret }).curl}
              label="a curl call with this key and secret"
              word="Copy curl"
            />
          </span>
        </figcaption>
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          className="overflow-x-auto px-3 py-2 font-mono text-sm leading-5 focus-visible:-outline-offset-2"
        >
          <code>{snippetsOf(call, { origin, apiKey }).curl}</code>
        </pre>
      </figure>
    </ShownOnceDialog>
  );
}

const masked = (secret: string): string => `${/^sk_(live|test)_/.exec(secret)?.[0] ?? ""}${"•".repeat(16)}`;

const envFileOf = ({ label, mode, apiKey, apiSecret }: NewSecret, origin: string): string =>
  `# Switchboard, ${mode} key "${label}" of ${origin}\n${KEY_NAME}=${apiKey}\n${SECRET_NAME}=${apiSecret}\n`;

type Key = { apiKey: string; label: string; mode: Mode };

export function RotateKey({ origin, apiKey: key }: { origin: string; apiKey: Key }) {
  return (
    <DialogForm
      look="secondary"
      icon="refresh"
      opener="Rotate secret"
      title={`Rotate the secret of ${key.label}`}
      action={rotateApiKey}
      fields={{ apiKey: key.apiKey }}
      confirm="Rotate"
      busy="Rotating…"
      shownOnce={({ apiSecret }, close) => (
        <SecretDialog secret={{ ...key, apiSecret }} title="New secret" origin={origin} onDone={close} />
      )}
    >
      <p className="text-muted">
        The key id stays the same. Until the overlap ends both secrets work, so that your servers can change over
        without a pause.
      </p>
      <OverlapSelect />
    </DialogForm>
  );
}
