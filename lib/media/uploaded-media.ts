/** Media as a line holds it. `fileName` is what a recipient sees of a document; null for pictures and videos. */
export type UploadedMedia = { whatsappMediaId: string; fileName: string | null };
