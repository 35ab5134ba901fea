import { randomBytes } from 'node:crypto'
import { TRANSFER_SECRETS, type TransferConfigInput, type TransferSecret } from '@custodia/contract'
import { associatedData, unwrapSecret, wrapSecret } from '@custodia/envelope'
import type { AppContext } from '../app-context.ts'
import { transferConfigContext } from '../ports/keys/contexts.ts'

/** Stored secrets of a config, sealed under one wrapped key. */
export type SealedSecrets = Readonly<Record<TransferSecret | 'wrapped_key', Buffer | null>>

export const NO_SECRETS: SealedSecrets = {
  wrapped_key: null,
  zip_password: null,
  sftp_password: null,
  sftp_private_key: null,
}

/** Binds a secret to its client, config and name. */
const aadOf = (client: string, reference: string, secret: TransferSecret): Buffer =>
  associatedData({ client, payload_reference: reference, kind: `${secret} of a transfer config` })

/** Secrets after a save: omitted ones stay, others are sealed anew or removed. */
export async function sealSecrets(
  { keys }: Pick<AppContext, 'keys'>,
  client: string,
  reference: string,
  present: SealedSecrets,
  input: Pick<TransferConfigInput, TransferSecret>,
): Promise<SealedSecrets> {
  const kept = Object.fromEntries(
    TRANSFER_SECRETS.map((secret) => [secret, input[secret] === undefined ? present[secret] : null]),
  ) as Record<TransferSecret, Buffer | null>
  const given = TRANSFER_SECRETS.filter((secret) => typeof input[secret] === 'string')
  if (given.length === 0) {
    const isEmpty = TRANSFER_SECRETS.every((secret) => kept[secret] === null)
    return { ...kept, wrapped_key: isEmpty ? null : present.wrapped_key }
  }
  const context = transferConfigContext(client, reference)
  const key = present.wrapped_key ? await keys.unwrap(present.wrapped_key, context) : randomBytes(32)
  try {
    for (const secret of given)
      kept[secret] = wrapSecret(key, Buffer.from(input[secret] ?? ''), aadOf(client, reference, secret))
    return { ...kept, wrapped_key: present.wrapped_key ?? (await keys.wrap(key, context)) }
  } finally {
    key.fill(0)
  }
}

/** Opens a secret; undefined when the config has none. */
export async function openSecret(
  { keys }: Pick<AppContext, 'keys'>,
  client: string,
  reference: string,
  sealed: SealedSecrets,
  secret: TransferSecret,
): Promise<string | undefined> {
  const { wrapped_key, [secret]: kept } = sealed
  if (!wrapped_key || !kept) return undefined
  const key = await keys.unwrap(wrapped_key, transferConfigContext(client, reference))
  try {
    return unwrapSecret(key, kept, aadOf(client, reference, secret)).toString()
  } finally {
    key.fill(0)
  }
}
