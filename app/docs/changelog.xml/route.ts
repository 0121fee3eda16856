import { changelogFeed } from "@/lib/docs/changelog-feed";
import { env } from "@/lib/process/env";
import { apiRoute } from "@/lib/public-api/api-route";
import { madeOnce } from "@/lib/public-api/made-once";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async () =>
    new Response(
      madeOnce("changelog.xml", () => changelogFeed(env().APP_URL)),
      { headers: { "content-type": "application/atom+xml; charset=utf-8" } },
    ),
});
