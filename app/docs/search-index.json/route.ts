import { readerWith } from "@/lib/docs/placeholders";
import { searchIndex } from "@/lib/docs/search-index";
import { publicFile } from "@/lib/http/api-route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = publicFile(
  "application/json",
  () => JSON.stringify(searchIndex(readerWith(null))),
  { maxAgeSeconds: 3_600 },
);
