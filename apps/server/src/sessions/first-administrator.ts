import type { Client } from '../clients/store.ts'

/** Roles of the first administrator of an account, while the identity provider names none. */
const ROLES = {
  client: ['Account Administrator'],
  provider: ['Provider Administrator', 'Account Administrator'],
} as const

type Account = Pick<Client, 'first_administrator' | 'is_provider'>

/** Whether this is the person whom the account was created with. A person is known by the reference that is theirs for good. */
export const isFirstAdministrator = ({ first_administrator }: Account, user_reference: string): boolean =>
  first_administrator !== null && first_administrator === user_reference

/** The roles of a person whose identity provider names none; undefined: the defaults of the account decide. */
export const rolesWithoutClaim = (account: Account, user_reference: string): string[] | undefined =>
  isFirstAdministrator(account, user_reference)
    ? [...ROLES[account.is_provider ? 'provider' : 'client']]
    : undefined
