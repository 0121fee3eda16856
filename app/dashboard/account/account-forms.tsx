"use client";

import { ActionForm } from "@/app/_components/action-form";
import { Field } from "@/app/_components/field";
import { NewPasswordField } from "@/app/_components/new-password-field";
import { SubmitButton } from "@/app/_components/submit-button";
import type { Theme } from "@/lib/auth/choice-cookies";
import { FRESH_SIGN_IN_MINUTES } from "@/lib/auth/fresh-sign-in";
import { chooseAppearance, endSession, rename, setPassword, signOutEverywhere } from "./actions";

export function NameForm({ name }: { name: string }) {
  return (
    <ActionForm action={rename} done="Saved.">
      <Field key={name} label="Name" name="name" defaultValue={name} autoComplete="name" required maxLength={200} />
      <div>
        <SubmitButton>Save name</SubmitButton>
      </div>
    </ActionForm>
  );
}

const FRESH_WORDS = ` Works within ${FRESH_SIGN_IN_MINUTES} minutes of signing in.`;

export function PasswordForm({ email, hasPassword }: { email: string; hasPassword: boolean }) {
  return (
    <ActionForm action={setPassword} done="Your password is changed, and every other session has ended.">
      {/* For password managers, which file the new password under it. */}
      <input type="hidden" autoComplete="username" value={email} readOnly />
      {hasPassword ? (
        <Field label="Current password" name="current" type="password" autoComplete="current-password" required />
      ) : null}
      <NewPasswordField
        label="New password"
        advice={`Signs you out everywhere else.${hasPassword ? "" : FRESH_WORDS}`}
      />
      <div>
        <SubmitButton>{hasPassword ? "Change password" : "Set password"}</SubmitButton>
      </div>
    </ActionForm>
  );
}

const THEME_WORDS: Record<Theme, string> = { system: "As the system", light: "Light", dark: "Dark" };

export function AppearanceForm({ theme, areShortcutsOn }: { theme: Theme; areShortcutsOn: boolean }) {
  return (
    <ActionForm key={`${theme}-${areShortcutsOn}`} action={chooseAppearance} done="Saved in this browser.">
      <Radios legend="Theme" name="theme" words={THEME_WORDS} value={theme} />
      <Radios
        legend="Single-letter shortcuts"
        name="shortcuts"
        words={{ on: "On", off: "Off" }}
        value={areShortcutsOn ? "on" : "off"}
        hint="Such as g then m. Off, they are never set off by speech input or by chance; Ctrl K works always."
      />
      <div>
        <SubmitButton>Save</SubmitButton>
      </div>
    </ActionForm>
  );
}

type RadiosProps = { legend: string; name: string; words: Record<string, string>; value: string; hint?: string };

function Radios({ legend, name, words, value, hint }: RadiosProps) {
  return (
    <fieldset aria-describedby={hint ? `${name}-hint` : undefined}>
      <legend className="font-medium">{legend}</legend>
      <div className="mt-1 flex flex-wrap gap-x-5 gap-y-1">
        {Object.entries(words).map(([choice, word]) => (
          <label key={choice} className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-11">
            <input
              type="radio"
              name={name}
              value={choice}
              defaultChecked={choice === value}
              className="accent-accent"
            />
            {word}
          </label>
        ))}
      </div>
      {hint ? (
        <p id={`${name}-hint`} className="mt-1 text-sm text-muted">
          {hint}
        </p>
      ) : null}
    </fieldset>
  );
}

/** One session of the list. */
export function EndSession({ sessionId, device }: { sessionId: string; device: string }) {
  return (
    <ActionForm action={endSession} className="grid justify-items-start gap-1">
      <input type="hidden" name="sessionId" value={sessionId} />
      <SubmitButton look="quietDanger" busy="Signing out…" aria-label={`Sign out ${device}`}>
        Sign out
      </SubmitButton>
    </ActionForm>
  );
}

export function SignOutEverywhere({ sessions }: { sessions: "others" | "all" }) {
  const isOthers = sessions === "others";
  return (
    <ActionForm action={signOutEverywhere} done="Every other session has ended.">
      <input type="hidden" name="sessions" value={sessions} />
      <div>
        <SubmitButton look={isOthers ? "secondary" : "quietDanger"} busy="Signing out…">
          {isOthers ? "Sign out everywhere else" : "Sign out everywhere"}
        </SubmitButton>
      </div>
    </ActionForm>
  );
}
