import { ButtonLink } from "../_components/button";
import { PageHeading } from "../_components/heading";

export default function DashboardNotFoundPage() {
  return (
    <>
      <title>Page not found · Switchboard</title>
      <PageHeading title="There is nothing at this address">
        The link may be old or mistyped, or belong to another workspace than this one.
      </PageHeading>
      <ButtonLink href="/dashboard">Go to the overview</ButtonLink>
    </>
  );
}
