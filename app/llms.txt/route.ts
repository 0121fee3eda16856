import { llmsText } from "@/lib/docs/docs-page";
import { publicFile } from "@/lib/http/api-route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = publicFile("text/plain; charset=utf-8", llmsText);
