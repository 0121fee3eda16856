import type { Metadata } from "next";
import { cookies } from "next/headers";
import type { ReactNode } from "react";
import { Card } from "@/app/_components/card";
import { PageHeading } from "@/app/_components/page-heading";
import { areShortcutsOn, readTheme, SHORTCUTS_COOKIE, THEME_COOKIE } from "@/lib/auth/choice-cookies";
import { requireMember } from "@/lib/auth/page-member";
import { findPasswordHash } from "@/lib/auth/user-queries";
import { ROLE_NAMES } from "@/lib/workspaces/roles";
import { AppearanceForm, NameForm, PasswordForm } from "./account-forms";
import { Sessions } from "./sessions";

export const metadata: Metadata = { title: "Account" };

export default async function AccountPage() {
  const member = await requireMember();
  const { userId, name, email, role, workspace } = member;
  const jar = await cookies();
  const hasPassword = (await findPasswordHash(userId)) !== null;
  return (
    <>
      <PageHeading title="Account">
        {email} · {ROLE_NAMES[role]} of {workspace.name}
      </PageHeading>
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <TitledCard title="You">
          <NameForm name={name} />
        </TitledCard>
        <TitledCard title="This browser">
          <AppearanceForm
            theme={readTheme(jar.get(THEME_COOKIE)?.value)}
            areShortcutsOn={areShortcutsOn(jar.get(SHORTCUTS_COOKIE)?.value)}
          />
        </TitledCard>
        <TitledCard title="Password">
          <PasswordForm email={email} hasPassword={hasPassword} />
        </TitledCard>
      </div>
      <Sessions member={member} />
    </>
  );
}

function TitledCard({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card>
      <h2 className="mb-4 text-lg font-semibold">{title}</h2>
      {children}
    </Card>
  );
}
