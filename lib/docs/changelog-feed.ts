import { CHANGELOG } from "./changelog";

/** The changelog as Atom (RFC 4287). */
export const changelogFeed = (origin: string): string => `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <title>Switchboard changelog</title>
  <id>${escaped(`${origin}/docs/changelog`)}</id>
  <link rel="alternate" href="${escaped(`${origin}/docs/changelog`)}"/>
  <link rel="self" href="${escaped(`${origin}/docs/changelog.xml`)}"/>
  <author><name>Switchboard</name></author>
  <updated>${instantOf(CHANGELOG[0]?.date ?? "1970-01-01")}</updated>
${CHANGELOG.map(
  ({ id, date, title, changed, toDo }) => `  <entry>
    <title>${escaped(title)}</title>
    <id>${escaped(`${origin}/docs/changelog#${id}`)}</id>
    <link href="${escaped(`${origin}/docs/changelog#${id}`)}"/>
    <updated>${instantOf(date)}</updated>
    <content type="text">${escaped(`${changed} What to do: ${toDo}`.replaceAll("`", ""))}</content>
  </entry>`,
).join("\n")}
</feed>
`;

const instantOf = (date: string): string => `${date}T00:00:00Z`;

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
