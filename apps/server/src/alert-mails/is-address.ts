import { MailAddress } from '@custodia/contract'

/** Whether a mail can go there: an identity provider may say anything. */
export const isAddress = (value: string | null): value is string => MailAddress.safeParse(value).success
