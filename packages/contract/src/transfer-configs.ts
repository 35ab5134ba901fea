import * as z from 'zod/mini'
import { stored } from './access.ts'
import { endpoints } from './endpoint.ts'
import { pageOf, pageQuery } from './paging.ts'
import { TRANSFERABLE_TYPES } from './payload-types.ts'
import { name, prose, SftpReference, text, TransferConfigReference, uniqueList } from './scalars.ts'

/** Recordings themselves, or what is known of those of a window. */
export const TRANSFER_TYPES = ['Payload', 'Report'] as const
export const TRANSFER_FILE_FORMATS = ['Uncompressed', 'Zipped', 'ZippedWithPassword', 'PGP'] as const

const S3Params = z.strictObject({
  target_type: z.literal('S3'),
  destination: text(6, 1024, [/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[^\s]*)?$/, 'invalid']),
  region: text(3, 30, [/^[a-z]{2}(?:-[a-z]+)+-[0-9]{1,2}$/, 'invalid']),
  iam_role_arn: text(20, 2048, [/^arn:aws[a-z-]*:iam::[0-9]{12}:role\/[A-Za-z0-9_+=,.@/-]+$/, 'invalid']),
})
const SftpParams = z.strictObject({
  target_type: z.literal('SFTP'),
  server: SftpReference,
  port: z._default(z.int().check(z.gte(1), z.lte(65_535)), 22),
  username: SftpReference,
  root_directory: text(1, 1024, [/^\//, 'leading_slash']),
  /** Fingerprint of the one key of its server that is trusted, as `ssh-keygen -l` shows it; null: none yet, and nothing is sent. */
  host_key: z.nullable(text(50, 50, [/^SHA256:[A-Za-z0-9+/]{43}$/, 'invalid'])),
})

/** Where records go. */
export const TransferParams = z.discriminatedUnion('target_type', [S3Params, SftpParams])
export type TransferParams = z.output<typeof TransferParams>

const settings = {
  transfer_type: z.enum(TRANSFER_TYPES),
  payload_types: uniqueList(z.enum(TRANSFERABLE_TYPES), 1, TRANSFERABLE_TYPES.length),
  /** `rate(…)` or `cron(…)` in the syntax of EventBridge, UTC; null: only when somebody runs it. */
  schedule: z.nullable(text(1, 256)),
  /** A public key in ASCII armour, for the format PGP. */
  pgp_key: z.nullable(
    prose(1, 20_000).check(
      z.regex(/^-----BEGIN PGP PUBLIC KEY BLOCK-----\n[\s\S]+\n-----END PGP PUBLIC KEY BLOCK-----\n?$/, {
        error: 'pgp_key',
      }),
    ),
  ),
  transfer_file_format: z.enum(TRANSFER_FILE_FORMATS),
  params: TransferParams,
  is_active: z.boolean(),
}

/** Secrets of a config. They are told to nobody again. */
export const TRANSFER_SECRETS = ['zip_password', 'sftp_password', 'sftp_private_key'] as const
export type TransferSecret = (typeof TRANSFER_SECRETS)[number]
/** Left out: as it is. Null: none. */
const secretFields = {
  zip_password: z.optional(z.nullable(text(1, 255))),
  sftp_password: z.optional(z.nullable(text(1, 255))),
  sftp_private_key: z.optional(z.nullable(prose(1, 20_000))),
}
export const TransferConfigInput = z.strictObject({ ...settings, ...secretFields })
export type TransferConfigInput = z.output<typeof TransferConfigInput>

/** What is transferred where, in which form and when, without its secrets. */
export const TransferConfig = z.strictObject({
  transfer_config_reference: TransferConfigReference,
  ...settings,
  has_zip_password: z.boolean(),
  has_sftp_password: z.boolean(),
  has_sftp_private_key: z.boolean(),
  ...stored,
})
export type TransferConfig = z.output<typeof TransferConfig>

const row = { portal: 'client', authentication: 'portal', concerns: 'account' } as const
const one = {
  ...row,
  path: 'transfer_configs/{transfer_config_reference}',
  params: z.object({ transfer_config_reference: TransferConfigReference }),
} as const
const save = {
  ...one,
  body: TransferConfigInput,
  response: TransferConfig,
  secrets: TRANSFER_SECRETS,
} as const

export const transferConfigEndpoints = endpoints({
  listTransferConfigs: {
    ...row,
    method: 'GET',
    path: 'transfer_configs',
    action: 'transfer_configs:list',
    summary: 'What the account transfers to storage of its own, by reference',
    query: { ...pageQuery, search: z.optional(name(1, 255)) },
    response: pageOf(TransferConfig),
    problems: ['invalid_cursor'],
  },
  readTransferConfig: {
    ...one,
    method: 'GET',
    action: 'transfer_configs:read',
    summary: 'One transfer config, without its secrets',
    response: TransferConfig,
    problems: ['not_found'],
  },
  createTransferConfig: {
    ...save,
    method: 'POST',
    action: 'transfer_configs:create',
    summary: 'Adds a transfer config',
    problems: ['already_exists'],
  },
  updateTransferConfig: {
    ...save,
    method: 'PUT',
    action: 'transfer_configs:update',
    summary: 'Replaces a transfer config; secrets that are left out stay, for the same server and user',
    problems: ['not_found', 'changed_meanwhile'],
  },
  deleteTransferConfig: {
    ...one,
    method: 'DELETE',
    action: 'transfer_configs:delete',
    summary: 'Removes a transfer config with its secrets',
    response: z.strictObject({}),
    problems: ['not_found', 'changed_meanwhile'],
  },
})
