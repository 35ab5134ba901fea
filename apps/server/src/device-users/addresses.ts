import type { DeviceUserInput } from '@custodia/contract'
import type { Tx } from '../ports/database/lease.ts'
import { findNamesakes } from './save-store.ts'
import type { UserToSave } from './saved.ts'

/** Whose addresses are while people are saved one after another: a phone says whose it is by one, that of two would be anybody's. */
export interface Addresses {
  isTaken: (user: UserToSave) => boolean
  take: (user: UserToSave) => void
}

/** Those that these people bring, as they are now. */
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

/** What phones can find somebody by: of those who have left nothing. */
const addressOf = ({ email, is_active }: Pick<DeviceUserInput, 'email' | 'is_active'>): string | undefined =>
  is_active ? email?.toLowerCase() : undefined
