import { type KeyObject, randomBytes } from 'node:crypto'
import { CLIENT_DELETION_FORMAT, ClientDeletion, canonical } from '@custodia/contract'
import * as z from 'zod/mini'
import type { AppContext } from '../app-context.ts'
import { resumeClient, suspendClient } from '../clients/store.ts'
import { newId } from '../http/new-id.ts'
import { Problem } from '../http/problem.ts'
import { jobKind } from '../jobs/kind.ts'
import type { Tx } from '../ports/database/lease.ts'
import { accountKeyContext } from '../ports/keys/contexts.ts'
import { checkSigned, type SignedKind } from '../ports/keys/signed-file.ts'
import { endSessionsOfClient } from '../sessions/store.ts'
import {
  countKept,
  type DeletableClient,
  findKeysOfDeleted,
  type RemainingData,
  listDeviceKeys,
  lockDeletable,
  writeDeletion,
  writeDeletionProposal,
} from './deletion-store.ts'
import { ACCOUNT_KEY_BYTES } from './provision.ts'

/** Removes the private keys of a deleted client's devices; the deletion queues it. */
export const removeDeviceKeys = jobKind({
  name: 'clients.remove_device_keys',
  input: z.object({ client_id: z.int() }),
  async run({ db, keys }, { client_id }) {
    await keys.removeKeks(await db.read(client_id, findKeysOfDeleted))
  },
})

const NOTHING = {
  payloads: 0,
  unfinished_destructions: 0,
  legal_holds: 0,
  legal_matters: 0,
  proposals: 0,
} as const

/** Proposes to delete the tenant's client. Problems: wrong_state unless it is suspended, client_not_empty. */
export async function proposeDeletion(tx: Tx, proposal: { at: number; by: string }): Promise<void> {
  const { deletion_proposed_at } = await lockEmpty(tx)
  if (deletion_proposed_at !== null) throw new Problem('wrong_state', { detail: 'proposed already' })
  await writeDeletionProposal(tx, proposal)
}

/** Takes back the proposal to delete the tenant's client. Problem: wrong_state where there is none. */
export async function withdrawDeletion(tx: Tx): Promise<void> {
  const present = await lockDeletable(tx)
  if (!present || present.deletion_proposed_at === null || present.deleted_at !== null)
    throw new Problem('wrong_state', { detail: 'not proposed' })
  await writeDeletionProposal(tx, null)
}

/**
 * Deletes the tenant's client and the keys of its devices, as a second person confirms it, and resolves to the signed certificate. Problems: same_person,
 * wrong_state, client_not_empty.
 */
export async function confirmDeletion(
  { keys, jobs }: Pick<AppContext, 'keys' | 'jobs'>,
  tx: Tx,
  { at, by }: { at: number; by: string },
): Promise<ClientDeletion> {
  const { client, client_name, created_at, destroyed_payloads, ...present } = await lockEmpty(tx)
  const { suspended_at, deletion_proposed_at, deletion_proposed_by } = present
  if (suspended_at === null || deletion_proposed_at === null || deletion_proposed_by === null)
    throw new Problem('wrong_state', { detail: 'not proposed' })
  if (deletion_proposed_by === by) throw new Problem('same_person')
  const certificate: ClientDeletion['certificate'] = {
    format: CLIENT_DELETION_FORMAT,
    client,
    client_name,
    certificate_reference: newId(),
    created_at,
    suspended_at,
    proposed_at: deletion_proposed_at,
    proposed_by: deletion_proposed_by,
    deleted_at: at,
    deleted_by: by,
    destroyed_payloads,
    removed_device_keys: await listDeviceKeys(tx),
    kept: NOTHING,
  }
  const { key_id, signature } = await keys.sign(Buffer.from(canonical(certificate)))
  const file = {
    certificate,
    signature: { algorithm: 'Ed25519' as const, key_id, value: signature.toString('base64') },
  }
  // A new key that no device receives invalidates the key of the devices.
  const account_key = await keys.wrap(randomBytes(ACCOUNT_KEY_BYTES), accountKeyContext(client))
  await writeDeletion(tx, { at, by, certificate: JSON.stringify(file, null, 2), account_key })
  await jobs.send(tx, removeDeviceKeys, { client_id: tx.client_id })
  return file
}

/** Locks the tenant's client, which must be suspended and empty. */
async function lockEmpty(tx: Tx): Promise<DeletableClient & Pick<RemainingData, 'destroyed_payloads'>> {
  const present = await lockDeletable(tx)
  if (!present || present.deleted_at !== null) throw new Problem('not_found', { detail: 'no such client' })
  if (present.suspended_at === null) throw new Problem('wrong_state', { detail: 'not suspended' })
  const { destroyed_payloads, ...kept } = await countKept(tx)
  const left = Object.entries(kept).filter(([, count]) => count > 0)
  if (left.length > 0)
    throw new Problem('client_not_empty', {
      detail: `still kept: ${left.map(([name, count]) => `${name.replaceAll('_', ' ')} (${count})`).join(', ')}`,
    })
  return { ...present, destroyed_payloads }
}

/**
 * Suspends the tenant's client: its sessions end, and its people and apps are refused until it is resumed. Devices
 * still upload. Problem: wrong_state if it is suspended already.
 */
export async function suspend(tx: Tx, change: { at: number; by: string; reason: string }): Promise<void> {
  if (!(await suspendClient(tx, change))) throw new Problem('wrong_state', { detail: 'suspended already' })
  await endSessionsOfClient(tx, 'client_suspended', change.at)
}

/**
 * Resumes the tenant's client: its people and apps can sign in again. Problem: wrong_state if it is not suspended.
 */
export async function resume(tx: Tx): Promise<void> {
  if (!(await resumeClient(tx))) throw new Problem('wrong_state', { detail: 'not suspended' })
}

const KIND: SignedKind<'certificate', ClientDeletion['certificate']> = {
  member: 'certificate',
  format: CLIENT_DELETION_FORMAT,
  isWhole: (file): file is ClientDeletion => ClientDeletion.safeParse(file).success,
}

/** Verifies the certificate of a deleted client as a file against public keys, without any server. */
export const checkClientDeletion = (text: string, publicKeys: readonly KeyObject[]) =>
  checkSigned(text, KIND, publicKeys)
