import * as z from 'zod/mini'
import { AccessImpact, ESCALATE, Sample, stored, verdict } from './access.ts'
import { CLIENT_ACCOUNT, endpoints, get, getPage, pageQuery, post } from './endpoint.ts'
import { TRANSFERABLE_TYPES } from './payload-types.ts'
import { ProposalAnswer } from './proposed.ts'
import {
  BATCH_LIMIT,
  EpochSeconds,
  GroupReference,
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

/** Recordings, or reports about the recordings of a window. */
export const TRANSFER_TYPES = ['Payload', 'Report'] as const
export const TRANSFER_FILE_FORMATS = ['Uncompressed', 'Zipped', 'ZippedWithPassword', 'PGP'] as const

/** Default region of a bucket, as in S3. */
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
  /** Fingerprint of the trusted server key, as `ssh-keygen -l` shows it; null: none, so nothing is sent. */
  host_key: z.nullable(text(50, 50, [/^SHA256:[A-Za-z0-9+/]{43}$/, 'invalid'])),
})

export const TransferParams = z.discriminatedUnion('target_type', [S3Params, SftpParams])
export type TransferParams = z.output<typeof TransferParams>

const settings = {
  transfer_type: z.enum(TRANSFER_TYPES),
  payload_types: uniqueList(z.enum(TRANSFERABLE_TYPES), 1, TRANSFERABLE_TYPES.length),
  /** `rate(…)` or `cron(…)` in the syntax of EventBridge, UTC; null, or empty in a request: manual runs only. */
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
 * The role that limits the deliveries of a config. Null: none, and nothing is delivered. Absent in a request:
 * unchanged, or for a new config the caller's first role that can deliver and that the caller may grant.
 */
const role_reference = z.nullable(RoleReference)

/** Only payloads of these groups leave. Null: of all groups that the role reaches. Absent in a request: unchanged. */
const groups = z.nullable(uniqueList(GroupReference, 1, BATCH_LIMIT))

/** Settings of a config, without its secrets. */
export const TransferSettings = z.strictObject({ ...settings, groups, role_reference })
export type TransferSettings = z.output<typeof TransferSettings>

/** Secrets of a config. No response contains them. */
export const TRANSFER_SECRETS = ['zip_password', 'sftp_password', 'sftp_private_key'] as const
export type TransferSecret = (typeof TRANSFER_SECRETS)[number]
/** Absent: unchanged. Null: none. */
const secretFields = {
  zip_password: z.optional(z.nullable(text(1, 255))),
  sftp_password: z.optional(z.nullable(text(1, 255))),
  sftp_private_key: z.optional(z.nullable(prose(1, 20_000))),
}
export const TransferConfigInput = z.strictObject({
  ...settings,
  groups: z.optional(groups),
  role_reference: z.optional(role_reference),
  ...secretFields,
})
export type TransferConfigInput = z.output<typeof TransferConfigInput>

/** Changes that extend the transfers: more data, another target or another form. */
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
  /** The role reaches more groups, or the config is no longer limited to some. */
  'reach',
  /** The new role raises no alert; the former role did. */
  'is_alertable',
  ...TRANSFER_SECRETS,
] as const

/** One change that extends the transfers; the second person approves it. */
export const TransferWidening = z.strictObject({
  changed: z.enum(WIDENINGS),
  /** Values as in the settings; absent for keys, secrets and unset values. */
  before: z.array(z.string()),
  /** For `reach`: the payload types with more groups. */
  after: z.array(z.string()),
})
export type TransferWidening = z.output<typeof TransferWidening>

export const TransferConfigReview = z.strictObject({
  ...verdict,
  /** Whether saving waits for a second person. */
  needs_second_person: z.boolean(),
  /** Changes that extend the transfers. */
  widened: z.array(TransferWidening),
  impact: AccessImpact,
})
export type TransferConfigReview = z.output<typeof TransferConfigReview>

/** Number of next runs in a preview. */
export const NEXT_RUNS = 5

/** Reasons why a target was unreachable or rejected data. */
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

/** A target to test. Absent secrets are those of the saved config, for the same server and user. */
export const TransferTargetInput = z.strictObject({
  params: TransferParams,
  sftp_password: secretFields.sftp_password,
  sftp_private_key: secretFields.sftp_private_key,
})

/** Result of the test: a written file, or the problem. */
export const TransferTargetTest = z.strictObject({
  /** The target acknowledged the whole file. */
  is_reached: z.boolean(),
  /** The server read the file back or compared its checksum; a write-only role allows neither. */
  is_verified: z.boolean(),
  /** The server removed the file; a write-only role leaves it. */
  is_removed: z.boolean(),
  problem: z.nullable(z.enum(TRANSFER_PROBLEMS)),
  /** Details of the problem, without secrets. */
  detail: z.nullable(z.string()),
  /** The host key of the server, if it differs from the pinned one or none is pinned. */
  host_key: z.nullable(z.string()),
})
export type TransferTargetTest = z.output<typeof TransferTargetTest>

/** The identity that writes to the account's buckets: the trust policy of a role names it. */
export const TransferIdentity = z.strictObject({
  /**
   * The account's own external id, the same for all of its configs: it prevents another account from using the role.
   */
  external_id: z.string().check(z.regex(/^custodia-[0-9a-f]{32}$/)),
  /** ARN; null: the operator has not configured it. */
  principal: z.nullable(z.string()),
})
export type TransferIdentity = z.output<typeof TransferIdentity>

/** A transfer config without its secrets. */
export const TransferConfig = z.strictObject({
  transfer_config_reference: TransferConfigReference,
  ...settings,
  groups,
  role_reference,
  has_zip_password: z.boolean(),
  has_sftp_password: z.boolean(),
  has_sftp_private_key: z.boolean(),
  /** Next runs of its schedule; empty if inactive or without schedule. */
  next_runs: z.array(EpochSeconds),
  ...stored,
})
export type TransferConfig = z.output<typeof TransferConfig>

/** A config with the groups whose recordings it delivers. */
export const TransferConfigDetail = z.strictObject({ ...TransferConfig.def.shape, reached_groups: Sample })
export type TransferConfigDetail = z.output<typeof TransferConfigDetail>

const one = {
  ...CLIENT_ACCOUNT,
  path: 'transfer_configs/{transfer_config_reference}',
} as const
const save = {
  ...one,
  body: TransferConfigInput,
  response: TransferConfig,
  description:
    'Returns 202 with a proposal if the config extends the transfers and the account requires a second person. The caller needs the right to all transferred data.',
  powers: [ESCALATE],
  deferred: ProposalAnswer,
  secrets: TRANSFER_SECRETS,
} as const

export const transferConfigEndpoints = endpoints({
  listTransferConfigs: {
    ...get(CLIENT_ACCOUNT, 'transfer_configs'),
    action: 'transfer_configs:list',
    support: true,
    summary: 'List the transfer configs of the account, by reference',
    query: { ...pageQuery, search: z.optional(name(1, 255)) },
    response: getPage(TransferConfig),
  },
  readTransferConfig: {
    ...one,
    method: 'GET',
    action: 'transfer_configs:read',
    support: true,
    summary: 'Show a transfer config without its secrets, with the groups that it reaches',
    response: TransferConfigDetail,
    problems: ['not_found'],
  },
  createTransferConfig: {
    ...save,
    method: 'POST',
    action: 'transfer_configs:create',
    summary: 'Create a transfer config',
    problems: ['already_exists', 'already_proposed', 'escalation', 'person_required'],
  },
  updateTransferConfig: {
    ...save,
    method: 'PUT',
    action: 'transfer_configs:update',
    summary: 'Replace a transfer config; omitted secrets stay',
    problems: [
      'not_found',
      'already_exists',
      'changed_meanwhile',
      'already_proposed',
      'escalation',
      'person_required',
    ],
  },
  reviewTransferConfig: {
    ...post(one, 'transfer_configs/{transfer_config_reference}/review'),
    action: 'transfer_configs:review',
    summary: 'Preview the impact of a transfer config',
    body: TransferConfigInput,
    response: TransferConfigReview,
    secrets: TRANSFER_SECRETS,
  },
  deleteTransferConfig: {
    ...one,
    method: 'DELETE',
    action: 'transfer_configs:delete',
    summary: 'Delete a transfer config with its secrets',
    response: z.strictObject({}),
    problems: ['not_found', 'already_exists', 'changed_meanwhile', 'in_use'],
  },
  runTransferConfig: {
    ...post(one, 'transfer_configs/{transfer_config_reference}/run'),
    action: 'transfer_configs:run',
    summary: 'Run an active transfer config now',
    response: z.strictObject({ transfer_id: Ulid }),
    problems: ['not_found', 'wrong_state'],
  },
  testTransferTarget: {
    ...post(one, 'transfer_configs/{transfer_config_reference}/test'),
    action: 'transfer_configs:test',
    summary: 'Test a transfer target before saving it',
    body: TransferTargetInput,
    response: TransferTargetTest,
    secrets: TRANSFER_SECRETS,
  },
  readTransferSchedule: {
    ...get(CLIENT_ACCOUNT, 'transfer_schedules'),
    action: 'transfer_configs:list',
    support: true,
    summary: 'Preview the next run of a schedule',
    query: { schedule: Schedule },
    response: z.strictObject({ next_runs: z.array(EpochSeconds) }),
  },
  readTransferIdentity: {
    ...get(CLIENT_ACCOUNT, 'transfer_identity'),
    action: 'transfer_configs:list',
    support: true,
    summary: 'Show the identity that the trust policy of a bucket names',
    query: {},
    response: TransferIdentity,
  },
})
