import type { DeviceUserInput } from '@custodia/contract'
import type { Tx } from '../ports/database/lease.ts'
import { findNamesakes } from './save-store.ts'
import type { UserToSave } from './saved.ts'

/**
 * Owners of emails while users are saved one by one. An email must identify one user, because devices name their holder
 * by it.
 */
export interface Addresses {
  isTaken: (user: UserToSave) => boolean
  take: (user: UserToSave) => void
}

/** Current owners of the emails that these users have or get. */
export async function addressesOf(tx: Tx, users: readonly UserToSave[]): Promise<Addresses> {
  const wanted = users.flatMap(({ body }) => addressOf(body) ?? [])
  const holders = new Map<string, Set<string>>()
  const add = (address: string, reference: string) =>
    holders.set(address, (holders.get(address) ?? new Set()).add(reference))
  for (const { email, device_user_reference } of wanted.length > 0 ? await findNamesakes(tx, wanted) : [])
    add(email, device_user_reference)
  return {
    isTaken({ body, device_user_reference }) {
      const address = addressOf(body)
      const others = address === undefined ? [] : [...(holders.get(address) ?? [])]
      return others.some((each) => each !== device_user_reference)
    },
    take({ body, known, device_user_reference }) {
      const before = known && addressOf(known)
      if (before !== undefined) holders.get(before)?.delete(device_user_reference)
      const address = addressOf(body)
      if (address !== undefined) add(address, device_user_reference)
    },
  }
}

/** The email that devices can use; none for an offboarded user. */
const addressOf = ({ email, is_active }: Pick<DeviceUserInput, 'email' | 'is_active'>): string | undefined =>
  is_active ? email?.toLowerCase() : undefined
