import * as z from 'zod/mini'
import { AccessImpact, ESCALATE, verdict, stored } from './access.ts'
import { endpoints } from './endpoint.ts'
import { pageOf, pageQuery } from './paging.ts'
import { TRANSFERABLE_TYPES } from './payload-types.ts'
import { Proposed } from './proposed.ts'
import {
  EpochSeconds,
  name,
  ObjectDestination,
  prose,
  RoleArn,
  RoleReference,
  Schedule,
  SftpReference,
  SftpRootDirectory,
  text,
  TransferConfigReference,
  Ulid,
  uniqueList,
} from './scalars.ts'

/** Recordings themselves, or what is known of those of a window. */
export const TRANSFER_TYPES = ['Payload', 'Report'] as const
export const TRANSFER_FILE_FORMATS = ['Uncompressed', 'Zipped', 'ZippedWithPassword', 'PGP'] as const

/** Region of a bucket of which the config names none: the one that S3 itself takes. */
const DEFAULT_REGION = 'us-east-1'

const S3Params = z.strictObject({
  target_type: z.literal('S3'),
  destination: ObjectDestination.check(
    z.regex(/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[^\s]*)?$/, { error: 's3_bucket' }),
  ),
  region: z._default(text(3, 30, [/^[a-z]{2}(?:-[a-z]+)+-[0-9]{1,2}$/, 'invalid']), DEFAULT_REGION),
  iam_role_arn: RoleArn,
})
const SftpParams = z.strictObject({
  target_type: z.literal('SFTP'),
  server: SftpReference,
  port: z._default(z.int().check(z.gte(1), z.lte(65_535)), 22),
  username: SftpReference,
  root_directory: SftpRootDirectory,
  /** Fingerprint of the one key of its server that is trusted, as `ssh-keygen -l` shows it; null: none yet, and nothing is sent. */
  host_key: z.nullable(text(50, 50, [/^SHA256:[A-Za-z0-9+/]{43}$/, 'invalid'])),
})

/** Where records go. */
export const TransferParams = z.discriminatedUnion('target_type', [S3Params, SftpParams])
export type TransferParams = z.output<typeof TransferParams>

const settings = {
  transfer_type: z.enum(TRANSFER_TYPES),
  payload_types: uniqueList(z.enum(TRANSFERABLE_TYPES), 1, TRANSFERABLE_TYPES.length),
  /** `rate(…)` or `cron(…)` in the syntax of EventBridge, UTC; null, or empty in what is sent: only when somebody runs it. */
  schedule: z.nullable(Schedule),
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

/**
 * The role as which a config delivers: at most what that role may download. Null: none, and nothing is delivered. Left out of what is sent: the one
 * it has, or, of a new config, the first of the caller's own roles by which it delivers something that the caller may grant.
 */
const role_reference = z.nullable(RoleReference)

/** What a config says, without its secrets. */
export const TransferSettings = z.strictObject({ ...settings, role_reference })
export type TransferSettings = z.output<typeof TransferSettings>

/** Secrets of a config. They are told to nobody again. */
export const TRANSFER_SECRETS = ['zip_password', 'sftp_password', 'sftp_private_key'] as const
export type TransferSecret = (typeof TRANSFER_SECRETS)[number]
/** Left out: as it is. Null: none. */
const secretFields = {
  zip_password: z.optional(z.nullable(text(1, 255))),
  sftp_password: z.optional(z.nullable(text(1, 255))),
  sftp_private_key: z.optional(z.nullable(prose(1, 20_000))),
}
export const TransferConfigInput = z.strictObject({
  ...settings,
  role_reference: z.optional(role_reference),
  ...secretFields,
})
export type TransferConfigInput = z.output<typeof TransferConfigInput>

/** Properties by which a save lets more leave than before, elsewhere or in another form. */
const WIDENINGS = [
  /** The config is new: all of it. */
  'config',
  'transfer_type',
  'payload_types',
  'schedule',
  'transfer_file_format',
  'pgp_key',
  'is_active',
  'params.target_type',
  'params.destination',
  'params.region',
  'params.iam_role_arn',
  'params.server',
  'params.port',
  'params.username',
  'params.root_directory',
  'params.host_key',
  /** The role reaches more groups. */
  'reach',
  /** The role raises no alert when it is used; the one before did. */
  'is_alertable',
  ...TRANSFER_SECRETS,
] as const

/** One change by which a save lets more leave: what the second person approves. */
export const TransferWidening = z.strictObject({
  changed: z.enum(WIDENINGS),
  /** Values as the settings spell them; none of keys, secrets and what was not set. */
  before: z.array(z.string()),
  /** Of `reach`: the payload types that come from more groups. */
  after: z.array(z.string()),
})
export type TransferWidening = z.output<typeof TransferWidening>

export const TransferConfigReview = z.strictObject({
  ...verdict,
  /** Whether saving waits for a second person. */
  needs_second_person: z.boolean(),
  /** What the second person would approve; without dual control what one person changes. */
  widened: z.array(TransferWidening),
  impact: AccessImpact,
})
export type TransferConfigReview = z.output<typeof TransferConfigReview>

/** Next runs of a schedule that are told. */
export const NEXT_RUNS = 5

/** Why a target was not reached, or did not take something. */
export const TRANSFER_PROBLEMS = [
  'host_unknown',
  'address_forbidden',
  'unreachable',
  'host_key_unknown',
  'host_key_changed',
  'auth_refused',
  'permission_denied',
  'no_such_folder',
  'no_space',
  'timeout',
  'connection_lost',
  'source_unreadable',
  'source_differs',
  'target_differs',
  'key_unusable',
  'not_permitted',
  'refused',
] as const
export type TransferProblem = (typeof TRANSFER_PROBLEMS)[number]

/** A target to try, before or after it is saved. Secrets that are left out are those of the saved config, for the same server and user. */
export const TransferTargetInput = z.strictObject({
  params: TransferParams,
  sftp_password: secretFields.sftp_password,
  sftp_private_key: secretFields.sftp_private_key,
})

/** What came of it: a file was written there, or why not. */
export const TransferTargetTest = z.strictObject({
  /** It was written, and the target has acknowledged all of it. */
  is_reached: z.boolean(),
  /** It was read back, or compared with the checksum that is kept of it; a role that may only write may do neither. */
  is_verified: z.boolean(),
  /** It was removed again; what may only write leaves it there. */
  is_removed: z.boolean(),
  problem: z.nullable(z.enum(TRANSFER_PROBLEMS)),
  /** More of the problem, without secrets. */
  detail: z.nullable(z.string()),
  /** The host key that the server showed, where it is not the pinned one, or none is. */
  host_key: z.nullable(z.string()),
})
export type TransferTargetTest = z.output<typeof TransferTargetTest>

/** As whom the account's buckets are written to: what the trust policy of a role names. */
export const TransferIdentity = z.strictObject({
  /** The account's own, and the same for all of its configs: with it nobody assumes the role for another account. */
  external_id: z.string().check(z.regex(/^custodia-[0-9a-f]{32}$/)),
  /** ARN; null: the operator has not told it. */
  principal: z.nullable(z.string()),
})
export type TransferIdentity = z.output<typeof TransferIdentity>

/** What is transferred where, in which form and when, without its secrets. */
export const TransferConfig = z.strictObject({
  transfer_config_reference: TransferConfigReference,
  ...settings,
  role_reference,
  has_zip_password: z.boolean(),
  has_sftp_password: z.boolean(),
  has_sftp_private_key: z.boolean(),
  /** The next times at which its schedule runs it; none while it is inactive, or has no schedule. */
  next_runs: z.array(EpochSeconds),
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
  description:
    'Answers 202 with a proposal where the account asks for a second person and more would leave than before, elsewhere or otherwise. What would leave must lie within what the caller may do.',
  powers: [ESCALATE],
  deferred: Proposed,
  secrets: TRANSFER_SECRETS,
} as const

export const transferConfigEndpoints = endpoints({
  listTransferConfigs: {
    ...row,
    method: 'GET',
    path: 'transfer_configs',
    action: 'transfer_configs:list',
    support: true,
    summary: 'What the account transfers to storage of its own, by reference',
    query: { ...pageQuery, search: z.optional(name(1, 255)) },
    response: pageOf(TransferConfig),
    problems: ['invalid_cursor'],
  },
  readTransferConfig: {
    ...one,
    method: 'GET',
    action: 'transfer_configs:read',
    support: true,
    summary: 'One transfer config, without its secrets',
    response: TransferConfig,
    problems: ['not_found'],
  },
  createTransferConfig: {
    ...save,
    method: 'POST',
    action: 'transfer_configs:create',
    summary: 'Adds a transfer config',
    problems: ['already_exists', 'already_proposed', 'escalation', 'person_required'],
  },
  updateTransferConfig: {
    ...save,
    method: 'PUT',
    action: 'transfer_configs:update',
    summary: 'Replaces a transfer config; secrets that are left out stay, for the same server and user',
    problems: ['not_found', 'changed_meanwhile', 'already_proposed', 'escalation', 'person_required'],
  },
  reviewTransferConfig: {
    ...one,
    method: 'POST',
    path: 'transfer_configs/{transfer_config_reference}/review',
    action: 'transfer_configs:review',
    summary: 'What saving a config would mean, and whether it needs a second person; saves nothing',
    body: TransferConfigInput,
    response: TransferConfigReview,
    secrets: TRANSFER_SECRETS,
  },
  deleteTransferConfig: {
    ...one,
    method: 'DELETE',
    action: 'transfer_configs:delete',
    summary: 'Removes a transfer config with its secrets',
    response: z.strictObject({}),
    problems: ['not_found', 'changed_meanwhile'],
  },
  runTransferConfig: {
    ...one,
    method: 'POST',
    path: 'transfer_configs/{transfer_config_reference}/run',
    action: 'transfer_configs:run',
    summary: 'Runs an active config now, over what was processed since its last window',
    response: z.strictObject({ transfer_id: Ulid }),
    problems: ['not_found', 'wrong_state'],
  },
  testTransferTarget: {
    ...one,
    method: 'POST',
    path: 'transfer_configs/{transfer_config_reference}/test',
    action: 'transfer_configs:test',
    summary: 'Tries a target before it is saved, under the reference that it has or will have',
    body: TransferTargetInput,
    response: TransferTargetTest,
    secrets: TRANSFER_SECRETS,
  },
  readTransferSchedule: {
    ...row,
    method: 'GET',
    path: 'transfer_schedules',
    action: 'transfer_configs:list',
    support: true,
    summary: 'When a schedule would run next, before it is saved',
    query: { schedule: Schedule },
    response: z.strictObject({ next_runs: z.array(EpochSeconds) }),
  },
  readTransferIdentity: {
    ...row,
    method: 'GET',
    path: 'transfer_identity',
    action: 'transfer_configs:list',
    support: true,
    summary: 'What the trust policy of a role in front of a bucket has to name',
    query: {},
    response: TransferIdentity,
  },
})
