import { notFound } from "next/navigation";
import { announceSetUp } from "@/lib/auth/set-up-token";
import { hasAnyUser } from "@/lib/auth/user-queries";
import { NewAccountForm } from "../_components/account-fields";
import { Field } from "../_components/form";
import { Entrance } from "../_components/frame";
import { setUp } from "../sign-up/actions";

export const metadata = { title: "Set up" };

export default async function SetUpPage() {
  if (await hasAnyUser()) notFound();
  await announceSetUp();
  return (
    <Entrance title="Set up Switchboard">
      <p className="mt-2 text-muted">
        There is no account here yet. The first one owns the first workspace and invites the others.
      </p>
      <NewAccountForm
        action={setUp}
        first={
          <Field
            label="Set-up token"
            name="token"
            required
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
            hint="The server wrote it to its log when it started: look for setUp.token. It shows that you run this server."
          />
        }
      />
    </Entrance>
  );
}
