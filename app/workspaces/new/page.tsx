import { redirect } from "next/navigation";
import { ActionForm, Field, SubmitButton } from "@/app/_components/form";
import { Entrance } from "@/app/_components/frame";
import { TextLink } from "@/app/_components/link";
import { Notice } from "@/app/_components/panels";
import { mayCreateWorkspace } from "@/lib/auth/member";
import { currentUser } from "@/lib/auth/page-member";
import { createOwnWorkspace } from "./actions";

export const metadata = { title: "New workspace" };

export default async function NewWorkspacePage() {
  const user = await currentUser();
  if (!user) redirect("/sign-in");
  return (
    <Entrance title="New workspace" below={<TextLink href="/dashboard">Back to the dashboard</TextLink>}>
      <p className="mt-2 text-muted">It has lines, keys, contacts and members of its own, and you own it.</p>
      {(await mayCreateWorkspace(user)) ? (
        <ActionForm action={createOwnWorkspace} className="mt-5 grid gap-4">
          <Field
            label="Name"
            name="name"
            required
            maxLength={200}
            autoComplete="organization"
            hint="It can be changed later."
          />
          <SubmitButton className="w-full" busy="Creating…">
            Create workspace
          </SubmitButton>
        </ActionForm>
      ) : (
        <Notice className="mt-5">Only an owner of a workspace can create another. Ask an owner of yours.</Notice>
      )}
    </Entrance>
  );
}
