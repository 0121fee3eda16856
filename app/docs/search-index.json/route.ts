import { readerWith } from "@/lib/docs/placeholders";
import { searchIndex } from "@/lib/docs/search-index";
import { apiRoute } from "@/lib/public-api/api-route";
import { madeOnce } from "@/lib/public-api/made-once";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute(
  {
    GET: async () => {
      const text = madeOnce("search-index.json", () => JSON.stringify(searchIndex(readerWith(null))));
      return new Response(text, { headers: { "content-type": "application/json" } });
    },
  },
  { maxAgeSeconds: 3_600 },
);
