import { cookies } from "next/headers";
import { NewPasswordField } from "@/app/_components/account-fields";
import { ActionButtonForm, ActionForm, Field, SubmitButton, Tick } from "@/app/_components/form";
import { Card, DataTable, Section } from "@/app/_components/panels";
import { Chip, Unbroken } from "@/app/_components/text";
import { Timestamp } from "@/app/_components/timestamp";
import { findAlertSettings } from "@/lib/alerts/queries";
import { areShortcutsOn, readTheme, SHORTCUTS_COOKIE, THEME_COOKIE, type Theme } from "@/lib/auth/choice-cookies";
import { FRESH_SIGN_IN_MINUTES } from "@/lib/auth/credential-limits";
import { may, pageMember, requireMember } from "@/lib/auth/page-member";
import { countRecoveryCodes, findPasswordHash } from "@/lib/auth/user-queries";
import { sendsMail } from "@/lib/mail/queue-mail";
import { listSessions } from "@/lib/sessions/queries";
import { ALERT_GROUPS, groupsFor, mailedGroups } from "@/lib/workspaces/alert-kinds";
import { ROLE_NAMES } from "@/lib/workspaces/roles";
import { Page } from "../_components/page-frame";
import {
  chooseAlerts,
  chooseAppearance,
  endSession,
  rename,
  sendConfirmation,
  setPassword,
  signOutEverywhere,
} from "./actions";
import { SecondFactor } from "./second-factor";

export const metadata = { title: "Account" };

export default async function AccountPage() {
  const { userId, name, email, role, workspace } = await requireMember();
  const jar = await cookies();
  const hasPassword = (await findPasswordHash(userId)) !== null;
  return (
    <Page title="Account" intro={`${email} · ${ROLE_NAMES[role]} of ${workspace.name}`}>
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <Card title="You">
          <ActionForm action={rename} done="Saved.">
            <Field
              key={name}
              label="Name"
              name="name"
              defaultValue={name}
              autoComplete="name"
              required
              maxLength={200}
            />
            <SubmitButton className="justify-self-start" look="secondary">
              Save name
            </SubmitButton>
          </ActionForm>
        </Card>
        <Card title="This browser">
          <AppearanceForm
            theme={readTheme(jar.get(THEME_COOKIE)?.value)}
            areShortcutsOn={areShortcutsOn(jar.get(SHORTCUTS_COOKIE)?.value)}
          />
        </Card>
        <Card title="Password">
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
            <SubmitButton className="justify-self-start">
              {hasPassword ? "Change password" : "Set password"}
            </SubmitButton>
          </ActionForm>
        </Card>
        <Card title="Second factor">
          <SecondFactor
            recoveryCodes={await countRecoveryCodes(userId)}
            requiredBy={workspace.requiresSecondFactor ? workspace.name : undefined}
          />
        </Card>
      </div>
      <AlertSettings />
      <Sessions />
    </Page>
  );
}

/** What this member receives by e-mail about the workspace, and whether the address may receive it. */
async function AlertSettings() {
  const { userId, workspaceId, workspace, role, email } = pageMember();
  const settings = await findAlertSettings(workspaceId, userId);
  const mailed = mailedGroups({ role, mailedAlerts: settings.mailedAlerts });
  return (
    <Section title="Alerts by e-mail" id="alerts" className="mt-8">
      {sendsMail() ? (
        <>
          {settings.emailConfirmedAt ? null : (
            <div className="mb-4 rounded-card bg-caution-fill px-4 py-3 text-caution">
              <p className="mb-2">
                <Unbroken text={`Nothing is e-mailed before you confirm that ${email} is yours.`} />
              </p>
              <ActionButtonForm
                action={sendConfirmation}
                fields={{}}
                word="Send confirmation link"
                busy="Sending…"
                look="secondary"
                done="The link is on its way. It works for 30 minutes."
              />
            </div>
          )}
          <ActionForm action={chooseAlerts} done="Saved." className="grid max-w-prose gap-4">
            <fieldset className="grid gap-3">
              <legend className="mb-2 text-muted">
                For {workspace.name}, sent to {email}. Critical alerts are sent at once; the others of ten minutes
                become one mail.
              </legend>
              {groupsFor(role).map((group) => (
                <div key={group}>
                  <Tick type="checkbox" name="groups" value={group} defaultChecked={mailed.includes(group)}>
                    {ALERT_GROUPS[group].name}
                  </Tick>
                  <p className="ms-7 text-sm text-muted">
                    <Unbroken text={`${ALERT_GROUPS[group].hint}.`} />
                  </p>
                </div>
              ))}
            </fieldset>
            <SubmitButton className="justify-self-start">Save</SubmitButton>
          </ActionForm>
        </>
      ) : (
        <p className="max-w-prose text-muted">
          <Unbroken text="This server sends no e-mail: its operator can set SMTP_URL. Alerts appear at the bell" />
          {may("manageWebhooks") ? ", and reach your own servers and Slack through Settings → Webhooks." : "."}
        </p>
      )}
    </Section>
  );
}

const FRESH_WORDS = ` Works within ${FRESH_SIGN_IN_MINUTES} minutes of signing in.`;

const THEME_WORDS: Record<Theme, string> = { system: "As the system", light: "Light", dark: "Dark" };

function AppearanceForm({ theme, areShortcutsOn }: { theme: Theme; areShortcutsOn: boolean }) {
  return (
    <ActionForm key={`${theme}-${areShortcutsOn}`} action={chooseAppearance} done="Saved in this browser.">
      <Radios legend="Theme" name="theme" words={THEME_WORDS} value={theme} />
      <Radios
        legend="Single-letter shortcuts"
        name="shortcuts"
        words={{ on: "On", off: "Off" }}
        value={areShortcutsOn ? "on" : "off"}
        hint="Such as g then m. When off, speech input or a stray key cannot trigger them. Ctrl K always works."
      />
      <SubmitButton className="justify-self-start" look="secondary">
        Save
      </SubmitButton>
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
          <Tick key={choice} type="radio" name={name} value={choice} defaultChecked={choice === value}>
            {word}
          </Tick>
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

/** Where the account is signed in, this browser first. */
async function Sessions() {
  const { userId, sessionId, workspace } = pageMember();
  const sessions = await listSessions(userId);
  const [here, others] = [sessions.filter(({ id }) => id === sessionId), sessions.filter(({ id }) => id !== sessionId)];
  const everywhere = (which: "others" | "all") => (
    <ActionButtonForm
      action={signOutEverywhere}
      fields={{ sessions: which }}
      word={which === "others" ? "Sign out everywhere else" : "Sign out everywhere"}
      busy="Signing out…"
      look={which === "others" ? "secondary" : "quietDanger"}
      done="Every other session has ended."
    />
  );
  return (
    <Section title="Sessions" className="mt-8">
      <p className="mb-3 text-muted">
        Browsers that are signed in to this account. A session ends after 8 hours without use, and 14 days after signing
        in. If you do not recognize one, sign it out and change your password.
      </p>
      <DataTable
        caption={`Open sessions, times in ${workspace.timeZone}`}
        rows={[...here, ...others]}
        columns={{
          Browser: ({ id, device }) => (
            <span className="flex flex-wrap items-center gap-2">
              {device}
              {id === sessionId ? <Chip tone="good" icon="check" word="This session" /> : null}
            </span>
          ),
          "IP address": ({ maskedAddress }) => maskedAddress,
          "Signed in": ({ signedInAt }) => <Timestamp at={signedInAt} />,
          Actions: ({ id, device }) => (
            <ActionButtonForm
              action={endSession}
              fields={{ sessionId: id }}
              word="Sign out"
              label={`Sign out ${device}`}
              busy="Signing out…"
              look="quietDanger"
            />
          ),
        }}
      />
      <div className="mt-3 flex flex-wrap gap-3">
        {others.length > 0 ? everywhere("others") : null}
        {everywhere("all")}
      </div>
    </Section>
  );
}
