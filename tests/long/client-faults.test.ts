import { describeFaultsOf } from "../support/client-faults";
import { TESTED_CLIENTS } from "../support/clients";

// The client for asyncio repeats by the same code as the other one in Python.
for (const client of TESTED_CLIENTS) if (/^Python(?! for asyncio)/.test(client.name)) describeFaultsOf(client);
