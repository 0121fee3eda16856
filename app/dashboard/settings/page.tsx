import type { Metadata } from "next";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Copyable } from "@/app/_components/copyable";
import { FieldRow, Fields } from "@/app/_components/fields";
import { PageHeading } from "@/app/_components/page-heading";
import { TextLink } from "@/app/_components/text-link";
import { requireMember } from "@/lib/auth/page-member";
import { env } from "@/lib/core/env";
import { can, whoCan } from "@/lib/workspaces/roles";
import { timeZoneNames } from "@/lib/workspaces/time-zone";
import { DeleteWorkspace } from "./delete-workspace";
import { WorkspaceForm } from "./workspace-form";

export const metadata: Metadata = { title: "Workspace" };

export default async function WorkspacePage() {
  const { workspaceId, workspace, role } = await requireMember();
  return (
    <>
      <PageHeading title="Workspace">Settings for {workspace.name}.</PageHeading>
      <div className="grid max-w-2xl gap-8">
        <Card aria-label="Settings">
          <WorkspaceForm
            workspaceId={workspaceId}
            settings={workspace}
            timeZones={can(role, "manageWorkspace") ? timeZoneNames() : []}
            defaultDays={env().MESSAGE_RETENTION_DAYS}
            lack={can(role, "manageWorkspace") ? undefined : whoCan("manageWorkspace")}
          />
        </Card>
        <Fields>
          <FieldRow name="Workspace id">
            <Copyable value={workspaceId} label="the workspace id" />
          </FieldRow>
        </Fields>
        <Card isDanger className="grid gap-4">
          <h2 className="text-lg font-semibold">Danger zone</h2>
          <div>
            <h3 className="font-medium">Transfer ownership</h3>
            <p className="text-muted">
              Make another member an owner under <TextLink href="/dashboard/settings/members">Members</TextLink>; then
              step down or leave there.
            </p>
          </div>
          <div className="grid justify-items-start gap-2 border-t border-hairline pt-4">
            <h3 className="font-medium">Delete this workspace</h3>
            {can(role, "deleteWorkspace") ? (
              <DeleteWorkspace workspaceId={workspaceId} name={workspace.name} />
            ) : (
              <>
                <Button look="quietDanger" disabled aria-describedby="who-can-delete">
                  Delete workspace…
                </Button>
                <p id="who-can-delete" className="text-sm text-muted">
                  {whoCan("deleteWorkspace")}
                </p>
              </>
            )}
          </div>
        </Card>
      </div>
    </>
  );
}
