"use client";

import { useEffect, useState } from "react";
import { Button } from "@/app/_components/button";
import { CopyButton } from "@/app/_components/copy-button";
import { Dialog } from "@/app/_components/dialog";
import { Icon } from "@/app/_components/icon";
import { recipientOf } from "@/lib/snippets/example-recipient";
import { snippetsOf } from "@/lib/snippets/snippets";
import { KEY_NAME, SECRET_NAME } from "@/lib/snippets/variable-names";

/** The two halves of a key, while this browser still holds the secret one. */
export type NewSecret = { label: string; mode: "live" | "test"; apiKey: string; apiSecret: string };

type Props = { secret: NewSecret; title: string; origin: string; onDone: () => void };

/** Shows a secret once. Only Done closes it, and only after the user confirms that the secret is stored. */
export function SecretDialog({ secret, title, origin, onDone }: Props) {
  const [isStored, setIsStored] = useState(false);
  const [isShown, setIsShown] = useState(false);
  useWarningBeforeLeaving(!isStored);
  const envFile = envFileOf(secret, origin);
  const curl = snippetsOf(firstCall(secret.mode), { origin, apiKey: secret.apiKey }).curl;
  return (
    <Dialog title={title} isOpen isGuarded onClose={() => {}}>
      <p className="mb-4 text-muted">
        The secret is shown here once and stored nowhere. Anyone with both can send as you.
      </p>
      <dl className="grid gap-3">
        <Half name="apiKey" value={secret.apiKey} />
        <Half name="apiSecret" value={secret.apiSecret} isHidden={!isShown}>
          <Button look="secondary" size="small" onClick={() => setIsShown(!isShown)}>
            {isShown ? "Hide" : "Show"}
          </Button>
        </Half>
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
      <div className="mt-5 flex flex-wrap items-center justify-between gap-3 border-t border-hairline pt-4">
        <label className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-11">
          <input
            type="checkbox"
            checked={isStored}
            onChange={(event) => setIsStored(event.target.checked)}
            className="size-4 accent-accent"
          />
          I stored the secret
        </label>
        <Button disabled={!isStored} onClick={onDone}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}

type HalfProps = { name: string; value: string; isHidden?: boolean; children?: React.ReactNode };

function Half({ name, value, isHidden = false, children }: HalfProps) {
  return (
    <div data-copyable className="rounded-control border border-hairline bg-surface px-3 py-2">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="flex flex-wrap items-center justify-between gap-2">
        <code className="min-w-0 font-mono text-sm break-all">{isHidden ? masked(value) : value}</code>
        <span className="flex gap-2">
          {children}
          <CopyButton value={value} label={name} />
        </span>
      </dd>
    </div>
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

const useWarningBeforeLeaving = (isNeeded: boolean) =>
  useEffect(() => {
    if (!isNeeded) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [isNeeded]);
