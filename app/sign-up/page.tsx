import { notFound, redirect } from "next/navigation";
import { isSignedIn } from "@/lib/auth/page-member";
import { env } from "@/lib/core/env";
import { NewAccountForm } from "../_components/account-fields";
import { Entrance } from "../_components/frame";
import { TextLink } from "../_components/link";
import { signUp } from "./actions";

export const metadata = { title: "Sign up" };

export default async function SignUpPage() {
  if (!env().ALLOW_SIGN_UP) notFound();
  if (await isSignedIn()) redirect("/dashboard");
  return (
    <Entrance
      title="Create an account"
      below={
        <p>
          Have an account? <TextLink href="/sign-in">Sign in</TextLink>
        </p>
      }
    >
      <NewAccountForm action={signUp} />
    </Entrance>
  );
}
