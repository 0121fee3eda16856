import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { Entrance } from "@/app/_components/entrance";
import { Notice } from "@/app/_components/notice";
import { TextLink } from "@/app/_components/text-link";
import { mayCreateWorkspace } from "@/lib/auth/new-workspace";
import { currentUser } from "@/lib/auth/page-member";
import { CreateWorkspaceForm } from "./create-workspace-form";

export const metadata: Metadata = { title: "New workspace" };

export default async function NewWorkspacePage() {
  const user = await currentUser();
  if (!user) redirect("/sign-in");
  return (
    <Entrance title="New workspace" below={<TextLink href="/dashboard">Back to the dashboard</TextLink>}>
      <p className="mt-2 text-muted">It has lines, keys, contacts and members of its own, and you own it.</p>
      {(await mayCreateWorkspace(user)) ? (
        <CreateWorkspaceForm />
      ) : (
        <div className="mt-5">
          <Notice>Only an owner of a workspace can do this.</Notice>
        </div>
      )}
    </Entrance>
  );
}
