import type { Endpoint } from "./endpoint";
import { getMessageEndpoint } from "./endpoints/get-message";
import { listTemplatesEndpoint } from "./endpoints/list-templates";
import { sendMessageEndpoint } from "./endpoints/send-message";

/** Every endpoint of the partner API, in the order of the docs. */
export const ENDPOINTS: readonly Endpoint[] = [sendMessageEndpoint, getMessageEndpoint, listTemplatesEndpoint];
