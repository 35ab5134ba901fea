import { Email } from '@custodia/contract'

/** Whether a mail can go there: an identity provider may say anything. */
export const isAddress = (value: string | null): value is string => Email.safeParse(value).success
