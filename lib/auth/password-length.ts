// Apart from the fields that use them: a form in the browser says them, and needs no validator for it.

export const PASSWORD_MIN_LENGTH = 8;
export const PASSWORD_MAX_LENGTH = 256;
