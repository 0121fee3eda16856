import { getMessageEndpoint } from "@/lib/api/endpoints/get-message";
import { listTemplatesEndpoint } from "@/lib/api/endpoints/list-templates";
import { sendMessageEndpoint } from "@/lib/api/endpoints/send-message";
import type { Endpoint } from "./endpoint";

/** Every endpoint of the partner API, in the order of the docs. */
export const ENDPOINTS: readonly Endpoint[] = [sendMessageEndpoint, getMessageEndpoint, listTemplatesEndpoint];
