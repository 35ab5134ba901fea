import { createHmac, randomBytes } from 'node:crypto'
import {
  TRANSFER_SECRETS,
  type TransferConfigInput,
  type TransferSecret,
  type TransferTargetTest,
} from '@custodia/contract'
import { associatedData, unwrapSecret, wrapSecret } from '@custodia/envelope'
import type { AppContext } from '../app-context.ts'
import { transferConfigContext } from '../ports/keys/contexts.ts'
import type { KeyProvider } from '../ports/keys/port.ts'
import { TargetProblem, type TargetSession } from '../ports/targets/port.ts'

/** Stored secrets of a config, sealed under one wrapped key. */
export type SealedSecrets = Readonly<Record<TransferSecret | 'wrapped_key', Buffer | null>>

export const NO_SECRETS: SealedSecrets = {
  wrapped_key: null,
  zip_password: null,
  sftp_password: null,
  sftp_private_key: null,
}

/** Binds a secret to its client, config and name. */
const getAad = (client: string, reference: string, secret: TransferSecret): Buffer =>
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
      kept[secret] = wrapSecret(key, Buffer.from(input[secret] ?? ''), getAad(client, reference, secret))
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
    return unwrapSecret(key, kept, getAad(client, reference, secret)).toString()
  } finally {
    key.fill(0)
  }
}

/**
 * External id for AWS roles of a client, derived from an installation secret: stable, and not selectable for another
 * client. It is not secret; the customer's trust policy contains it.
 */
export async function getExternalId(keys: Pick<KeyProvider, 'namedSecret'>, client: string): Promise<string> {
  const secret = await keys.namedSecret('transfer-external-ids')
  return `custodia-${createHmac('sha256', secret).update(client).digest('hex').slice(0, 32)}`
}

type Params = TransferConfigInput['params']
type Parts = Pick<AppContext, 'config' | 'keys' | 'egress'>

/** Target with given secrets (null: none, undefined: the stored ones) and stored secrets. */
interface TargetInput extends Partial<Pick<TransferConfigInput, 'sftp_password' | 'sftp_private_key'>> {
  params: Params
  kept: SealedSecrets
}

/**
 * Opens a session on the target, abortable by `signal`. Throws TargetProblem. Loads its client on the first use: a start need not.
 */
export async function openTarget(
  ctx: Parts,
  client: string,
  reference: string,
  { params, kept, ...given }: TargetInput,
  signal: AbortSignal,
): Promise<TargetSession> {
  if (params.target_type === 'S3') return openBucket(ctx, client, params, signal)
  const secret = async (name: Extract<TransferSecret, `sftp_${string}`>) =>
    given[name] === undefined ? openSecret(ctx, client, reference, kept, name) : (given[name] ?? undefined)
  const { sftpSession } = await import('../ports/targets/sftp.ts')
  const private_key = await secret('sftp_private_key')
  const password = await secret('sftp_password')
  return sftpSession(
    {
      kind: 'SFTP',
      host: params.server,
      port: params.port,
      username: params.username,
      host_key: params.host_key ?? undefined,
      // With both, the key authenticates and the password decrypts the key.
      ...(private_key === undefined
        ? password !== undefined && { password }
        : { private_key, ...(password !== undefined && { passphrase: password }) }),
    },
    ctx.egress,
    { signal },
  )
}

async function openBucket(
  { config: { transferS3 }, egress, keys }: Parts,
  client: string,
  params: Extract<Params, { target_type: 'S3' }>,
  signal: AbortSignal,
): Promise<TargetSession> {
  const { endpoint, accessKeyId, secretAccessKey } = transferS3
  const identity =
    accessKeyId !== undefined && secretAccessKey !== undefined
      ? { access_key_id: accessKeyId, secret_access_key: secretAccessKey }
      : undefined
  const { s3Session } = await import('../ports/targets/s3.ts')
  return s3Session(
    {
      kind: 'S3',
      bucket: getPlace(params.destination).bucket,
      region: params.region,
      role_arn: params.iam_role_arn,
      external_id: await getExternalId(keys, client),
      endpoint,
      identity,
    },
    egress,
    { signal },
  )
}

/** `s3://bucket/folder` as bucket and folder. */
function getPlace(destination: string): { bucket: string; folder: string } {
  const [bucket = '', ...folders] = destination.replace(/^s3:\/\//, '').split('/')
  return { bucket, folder: folders.filter((each) => each !== '').join('/') }
}

/** Root folder of a target's files. */
export const getRoot = (params: Params): string =>
  params.target_type === 'SFTP' ? params.root_directory : getPlace(params.destination).folder

/** Milliseconds for a target test, because a person waits for it. */
const TEST_MS = 45_000

/** Writes, reads and deletes a probe on a target as permitted; returns errors, never throws. */
export async function testTarget(
  ctx: Parts,
  client: string,
  reference: string,
  asked: TargetInput,
): Promise<TransferTargetTest> {
  const late = AbortSignal.timeout(TEST_MS)
  try {
    const session = await openTarget(ctx, client, reference, asked, late)
    const cut = () => void session.close()
    late.addEventListener('abort', cut)
    try {
      const proved = await session.prove(getRoot(asked.params))
      return { is_reached: true, ...proved, problem: null, detail: null, host_key: null }
    } finally {
      late.removeEventListener('abort', cut)
      await session.close()
    }
  } catch (cause) {
    const error = late.aborted ? new TargetProblem('timeout', 'the test took too long', { cause }) : cause
    if (!(error instanceof TargetProblem)) throw error
    return {
      is_reached: false,
      is_verified: false,
      is_removed: false,
      problem: error.reason,
      detail: error.message,
      host_key: error.host_key ?? null,
    }
  }
}

/** Keeps server secrets only for the same server and user; otherwise a changed config could send them anywhere. */
export function keptSecrets(
  { params }: Pick<TransferConfigInput, 'params'>,
  present: { config: Pick<TransferConfigInput, 'params'>; sealed: SealedSecrets } | undefined,
): SealedSecrets {
  if (!present) return NO_SECRETS
  const before = present.config.params
  const isSame =
    params.target_type === 'SFTP' &&
    before.target_type === 'SFTP' &&
    params.server === before.server &&
    params.port === before.port &&
    params.username === before.username &&
    params.host_key === before.host_key
  return isSame ? present.sealed : { ...present.sealed, sftp_password: null, sftp_private_key: null }
}
