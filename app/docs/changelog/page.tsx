import type { Metadata } from "next";
import { InlineCode } from "@/app/_components/inline-code";
import { CHANGELOG, READERS } from "@/lib/docs/changelog";
import { docsMetadata } from "@/lib/docs/docs-metadata";
import { Article } from "../_components/article";
import { Section } from "../_components/section";

const PAGE = "/docs/changelog";

export const metadata: Metadata = docsMetadata(PAGE);

export default function ChangelogPage() {
  return (
    <Article page={PAGE}>
      <p>
        Follow it as an{" "}
        <a href="/docs/changelog.xml" className="rounded-sm text-link underline underline-offset-2">
          Atom feed
        </a>
        .
      </p>
      {CHANGELOG.map(({ id, date, title, concerns, changed, toDo }) => (
        <Section key={id} id={id} title={title}>
          <p className="text-sm text-muted">
            <time dateTime={date}>{date}</time> · {concerns.map((reader) => READERS[reader]).join(", ")}
          </p>
          <p>
            <InlineCode text={changed} />
          </p>
          <p>
            <strong className="font-semibold">What to do:</strong> <InlineCode text={toDo} />
          </p>
        </Section>
      ))}
    </Article>
  );
}
