/** What a process of the soak needs of one workspace. */
export type Tenant = { apiKey: string; apiSecret: string; whatsappPhoneNumberId: string; email: string };
