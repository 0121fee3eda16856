/** The environment variables that every example reads a key pair from. */
export const KEY_NAME = "CHAT_API_KEY";
export const SECRET_NAME = "CHAT_API_SECRET";
