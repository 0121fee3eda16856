import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { hasAnyUser } from "@/lib/users/queries";
import { Entrance } from "../_components/entrance";
import { NewAccountForm } from "../_components/new-account-form";
import { setUp } from "./actions";

export const metadata: Metadata = { title: "Set up" };

export default async function SetUpPage() {
  if (await hasAnyUser()) notFound();
  return (
    <Entrance title="Set up Switchboard">
      <p className="mt-2 text-muted">
        Nobody has an account here yet. The first one owns the first workspace and invites the others.
      </p>
      <NewAccountForm action={setUp} submit="Create account" />
    </Entrance>
  );
}
