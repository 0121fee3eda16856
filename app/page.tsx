import type { Metadata } from "next";
import { env } from "@/lib/core/env";
import { SEND_TEXT } from "@/lib/docs/calls";
import { ButtonLink } from "./_components/button";
import { CallSnippets } from "./_components/call-snippets";
import { SiteHeader } from "./_components/frame";
import { DESCRIPTION, socialCard } from "./_components/social-card";
import { StatusChip } from "./_components/text";
import { Timeline, TimelineLine } from "./_components/timeline";

export function generateMetadata(): Metadata {
  return {
    alternates: { canonical: `${env().APP_URL}/` },
    ...socialCard({ title: "Switchboard", description: DESCRIPTION, path: "/" }),
  };
}

const PROMISES = [
  {
    title: "Never twice, never lost",
    text: "An idempotency key binds one message for good. A repeat returns the first message instead of sending a second.",
  },
  {
    title: "Errors that teach",
    text: "Every refusal says what happened, why, and what to change, and links to a page about exactly that code.",
  },
  {
    title: "Status you can trust",
    text: "Sent, delivered, read or failed: no late or repeated webhook moves a status back, and every event is kept.",
  },
];

const TIMELINE = [
  { id: "received", title: "Received by the API", at: "14:02:07" },
  { id: "accepted", title: "Accepted by WhatsApp", at: "14:02:07" },
  { id: "sent", title: <StatusChip status="SENT" />, at: "14:02:08" },
  { id: "delivered", title: <StatusChip status="DELIVERED" />, at: "14:02:09" },
  {
    id: "read",
    title: <StatusChip status="READ" />,
    at: "14:05:31",
    below: <TimelineLine>Webhook received 14:05:31 ({"< 1 s"})</TimelineLine>,
  },
];

export default function HomePage() {
  return (
    <>
      <SiteHeader />
      <main id="main" className="mx-auto max-w-[80rem] px-4 sm:px-6">
        <section className="grid items-center gap-10 py-12 sm:py-20 lg:grid-cols-[5fr_6fr] lg:gap-16">
          <div>
            <h1 className="max-w-lg text-xl font-bold tracking-tight text-balance sm:text-2xl">
              Send WhatsApp messages with one key and three endpoints
            </h1>
            <p className="mt-4 max-w-lg text-lg text-muted text-pretty">
              Switchboard is a messaging gateway for your own backend. It connects your WhatsApp lines, checks each
              message before WhatsApp sees it, and tracks its status.
            </p>
            <div className="mt-8 flex flex-wrap gap-3">
              <ButtonLink href="/sign-in">Sign in</ButtonLink>
              <ButtonLink href="/docs" look="secondary">
                Read the docs
              </ButtonLink>
            </div>
          </div>
          <div className="grid min-w-0 gap-8">
            <CallSnippets label="Send a message" call={SEND_TEXT} caller={{ origin: env().APP_URL, apiKey: null }} />
            <section aria-labelledby="timeline">
              <h2 id="timeline" className="mb-3 font-semibold">
                What you see of it
              </h2>
              <Timeline steps={TIMELINE} />
            </section>
          </div>
        </section>
        <section aria-label="What it promises" className="grid gap-8 border-t border-hairline py-10 sm:grid-cols-3">
          {PROMISES.map(({ title, text }) => (
            <div key={title}>
              <h2 className="font-semibold">{title}</h2>
              <p className="mt-1 text-muted text-pretty">{text}</p>
            </div>
          ))}
        </section>
      </main>
    </>
  );
}
