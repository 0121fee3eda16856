"use client";

import { useState } from "react";
import { CopyButton } from "@/app/_components/copy-button";
import { KeptForm } from "@/app/_components/dialog";
import { Field } from "@/app/_components/form";
import { RecoveryCodes } from "@/app/dashboard/settings/_components/shown-once-dialog";
import { turnOn } from "./actions";

type Given = {
  secret: string;
  sealed: string;
  /** Where it leads when it is done. */
  next: string;
  qrCode: { size: number; path: string };
  /** The password proves who acts; for an account without one, what is said instead. */
  proof: string;
};

/** Keeps what it was first given: a refused code must not change the QR code that was scanned. */
export function SetUpForm(given: Given) {
  const [{ secret, sealed, next, qrCode, proof }] = useState(given);
  const [codes, setCodes] = useState<string[]>();
  const key = secret.replace(/(.{4})(?=.)/g, "$1 ");
  return (
    <div className="mt-5 grid gap-4">
      <p>Scan this with the app:</p>
      <svg
        viewBox={`0 0 ${qrCode.size} ${qrCode.size}`}
        role="img"
        aria-label="QR code of the key below"
        shapeRendering="crispEdges"
        className="w-56 rounded-control border border-hairline"
      >
        <rect width="100%" height="100%" fill="#fff" />
        <path d={qrCode.path} fill="#000" />
      </svg>
      <div>
        <p className="text-muted">Or type this key into it:</p>
        <p data-copyable className="flex flex-wrap items-center justify-between gap-2">
          <code className="min-w-0 font-mono text-sm">{key}</code>
          <CopyButton value={secret} label="the key" />
        </p>
      </div>
      <KeptForm
        action={turnOn}
        fields={{ sealed }}
        confirm="Turn on"
        busy="Checking…"
        onDone={(value) => setCodes(value.codes)}
      >
        <Field
          label="Code"
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          hint="The six digits that the app shows now."
        />
        {proof === "password" ? (
          <Field label="Password" name="current" type="password" autoComplete="current-password" required />
        ) : (
          <p className="text-muted">{proof}</p>
        )}
      </KeptForm>
      {codes ? <RecoveryCodes codes={codes} onDone={() => location.assign(next)} /> : null}
    </div>
  );
}
