"use client";

import { Button } from "@/app/_components/button";
import { CopyButton } from "@/app/_components/copy-button";
import { Icon } from "@/app/_components/icon";
import { recipientOf } from "@/lib/docs/example-recipient";
import { snippetsOf } from "@/lib/docs/snippets";
import { KEY_NAME, SECRET_NAME } from "@/lib/docs/variable-names";
import { ShownOnceDialog, ShownOnceValue } from "../_components/shown-once-dialog";

/** The two halves of a key, while this browser still holds the secret one. */
export type NewSecret = { label: string; mode: "live" | "test"; apiKey: string; apiSecret: string };

type Props = { secret: NewSecret; title: string; origin: string; onDone: () => void };

export function SecretDialog({ secret, title, origin, onDone }: Props) {
  const envFile = envFileOf(secret, origin);
  const curl = snippetsOf(firstCall(secret.mode), { origin, apiKey: secret.apiKey }).curl;
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
        <Button look="secondary" size="small" onClick={() => download(envFile, secret.mode)}>
          <Icon name="download" className="size-3.5" />
          Download .env
        </Button>
        <span data-copyable>
          <CopyButton value={curl} label="a curl call with this key" word="Copy curl" />
        </span>
      </div>
    </ShownOnceDialog>
  );
}

const masked = (secret: string): string => `${/^sk_(live|test)_/.exec(secret)?.[0] ?? ""}${"•".repeat(16)}`;

const envFileOf = ({ label, mode, apiKey, apiSecret }: NewSecret, origin: string): string =>
  `# Switchboard, ${mode} key "${label}" of ${origin}\n${KEY_NAME}=${apiKey}\n${SECRET_NAME}=${apiSecret}\n`;

const firstCall = (mode: NewSecret["mode"]) => ({
  method: "POST" as const,
  path: "/messages/send",
  body: { type: "text", phone: recipientOf(mode), content: "Hello from Switchboard" },
});

const download = (text: string, mode: string) => {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `switchboard-${mode}.env`;
  link.click();
  URL.revokeObjectURL(url);
};
