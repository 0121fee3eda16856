import { VERSION } from "@/clients/typescript/src/version";

// `npm run clients:release` packs both clients into `public/docs`, where the files of every version stay: a lock file of a
// partner names one, with its digest. pip reads name and version from the name of a wheel.
export const NPM_FILE = `switchboard-client-${VERSION}.tgz`;
export const WHEEL_FILE = `switchboard_client-${VERSION}-py3-none-any.whl`;
