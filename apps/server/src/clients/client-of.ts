import type { House } from '../house.ts'
import { Problem } from '../http/problem.ts'
import { findNamedClient, type NamedClient } from './store.ts'

/** The client that a call of the provider's area names. Problem: not_found. */
export async function clientOf({ db }: Pick<House, 'db'>, reference: string): Promise<NamedClient> {
  const found = await findNamedClient(db, reference)
  if (!found) throw new Problem('not_found', { detail: 'no such client' })
  return found
}

/** As `clientOf`, but only customers: the provider's own client is not one. */
export async function customerOf(house: Pick<House, 'db'>, reference: string): Promise<NamedClient> {
  const found = await clientOf(house, reference)
  if (found.is_provider) throw new Problem('not_found', { detail: 'the provider is no customer' })
  return found
}
