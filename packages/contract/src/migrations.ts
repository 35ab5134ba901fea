import * as z from 'zod/mini'
import { ESCALATE, UpdatedBy } from './access.ts'
import { CLIENT_ACCOUNT, dateRange, endpoints, get, getPage, pageQuery, post } from './endpoint.ts'
import { Fault } from './fault.ts'
import { MIGRATION_RESULT_CLASSES, MIGRATION_RESULT_TYPES } from './migration-results.ts'
import { PayloadType } from './payload-types.ts'
import {
  authors,
  ClientReference,
  Count,
  EpochSeconds,
  PayloadReference,
  queryBoolean,
  Sha256,
  text,
  Ulid,
  uniqueList,
} from './scalars.ts'

/** `Quarantined`: the malware scanner rejected a file, and the run imported nothing. */
export const MIGRATION_STATES = ['Pending', 'Quarantined', 'Migrated', 'PartialFail', 'Failed'] as const
export type MigrationState = (typeof MIGRATION_STATES)[number]
/** Kinds of files in import order, and the kinds of results about files themselves. */
export const MIGRATION_KINDS = ['Group', 'DeviceUser', 'Device', 'Payload'] as const
export const MIGRATION_ITEM_KINDS = [...MIGRATION_KINDS, 'File'] as const
/** Maximum items of a result type within a run; the item list has all. */
export const MIGRATION_SAMPLE = 10
/** Maximum payloads of a run that a reviewer opens before acceptance. */
export const SIGN_OFF_SAMPLE = 10
/** Days from a run without errors until its files are erased, by default. */
export const MIGRATION_ERASE_DAYS = 30
const switches = {
  /** Whether the run skips new device users and devices. */
  disable_onboarding: z.boolean(),
  /** Whether the run skips departures of device users and devices. */
  disable_offboarding: z.boolean(),
  /** Whether the run skips new payloads. */
  disable_payloads: z.boolean(),
}
/** Days after a run without errors until its files are erased. */
const EraseDays = z.int().check(z.gte(1), z.lte(3650))

/** Migration settings of the account (spec section 3). */
export const MigrationSettingsInput = z.strictObject({
  ...switches,
  /** Absent: unchanged. */
  erase_after_days: z.optional(EraseDays),
})
export type MigrationSettingsInput = z.output<typeof MigrationSettingsInput>
export const MigrationSettings = z.strictObject({
  client: ClientReference,
  ...switches,
  erase_after_days: EraseDays,
  version: z.string(),
  /** Null: never saved. */
  updated_at: z.nullable(EpochSeconds),
  ...authors({ updated_by: z.nullable(z.string()) }),
})
export type MigrationSettings = z.output<typeof MigrationSettings>

/** Rows of one result type: how many, and the first of them. */
const Items = z.strictObject({
  result_type: z.enum(MIGRATION_RESULT_TYPES),
  count: Count,
  /** The first ten names. */
  items: z.array(z.string()),
})

/** One run over the files of a legacy platform. */
export const MigrationRun = z.strictObject({
  client: ClientReference,
  migration_reference: Ulid,
  migration_state: z.enum(MIGRATION_STATES),
  /** A dry run previews the results and imports nothing. */
  is_dry_run: z.boolean(),
  created_at: EpochSeconds,
  ...authors({ created_by: z.string() }),
  /** The run whose failures it repeats; null: none. */
  retry_of: z.nullable(Ulid),
  /** End of the run; null: running. */
  migrated_at: z.nullable(EpochSeconds),
  /** The files with rows, by name, separated by commas. */
  filename: z.string(),
  /** Rows read so far, by kind. */
  total_groups: Count,
  total_users: Count,
  total_devices: Count,
  total_payloads: Count,
  new_groups: Count,
  new_users: Count,
  updated_users: Count,
  new_devices: Count,
  updated_devices: Count,
  new_payloads: Count,
  updated_payloads: Count,
  /** Rows with each class of result. */
  errors: Count,
  warnings: Count,
  successes: Count,
  import_errors: z.array(Items),
  import_warnings: z.array(Items),
  imported: z.array(Items),
  /** Failure of the whole run; null: see its results. */
  error_message: z.nullable(z.string()),
  /** The acceptance of the import; null: not accepted yet, so retention keeps its payloads. */
  signed_off_at: z.nullable(EpochSeconds),
  ...authors({ signed_off_by: z.nullable(z.string()) }),
  /** The reviewer's explanation of the differences; null: no differences, or not accepted. */
  explanation: z.nullable(z.string()),
  /** For a run with errors: the later run that resolved them; null: none yet. */
  settled_by: z.nullable(Ulid),
  /**
   * When its verified files will be erased; null: never, or they were. For a run with errors, the days count from the
   * end of the run that settled it.
   */
  sources_erase_at: z.nullable(EpochSeconds),
  /** When its files were erased. */
  sources_erased_at: z.nullable(EpochSeconds),
  updated_by: UpdatedBy,
})
export type MigrationRun = z.output<typeof MigrationRun>

/** The comparison of a run's files with the imported data, for its acceptance. */
export const MigrationSignOff = z.strictObject({
  migration_reference: Ulid,
  /** Files with rows, by name, and files with faults: the first 1000 of each. */
  files: z.array(
    z.strictObject({
      filename: z.string(),
      size: Count,
      /** Digest at the scan and at the import. */
      sha256: z.string(),
      /** Rows in the file; null: the run did not read it to its end. */
      rows: z.nullable(Count),
      /** Results of those rows; a retry has only those that it repeats. */
      results: Count,
      imported: Count,
      warnings: Count,
      errors: Count,
    }),
  ),
  /** Rows of payloads by type; null: they name none. */
  types: z.array(
    z.strictObject({
      payload_type: z.nullable(PayloadType),
      rows: Count,
      imported: Count,
      /** Imported payloads with the digest of their source, and those without data. */
      verified: Count,
      /** In processing. */
      awaited: Count,
      /** Payloads with another digest than their source, or with failed processing. */
      differing: Count,
    }),
  ),
  /** The sample, which the server draws at the end of the run. Payloads destroyed later stay in it. */
  sample: z.array(
    z.strictObject({
      payload_reference: PayloadReference,
      payload_type: PayloadType,
      /** Reference in the legacy platform. */
      item: z.string(),
      /** Whether the caller opened it after the run. */
      is_opened: z.boolean(),
      /** Whether the reviewer must play it, because it has sound or a picture. */
      must_play: z.boolean(),
      is_played: z.boolean(),
    }),
  ),
  /** Differences to explain: rows and files not imported unchanged, and differing payloads. */
  differences: Count,
  /** Whether the caller may accept it now; differences require an explanation. */
  is_ready: z.boolean(),
})
export type MigrationSignOff = z.output<typeof MigrationSignOff>

/** Result of one row or file. */
export const MigrationResult = z.strictObject({
  /** Sequence number from 1. */
  sequence: Count,
  result_type: z.enum(MIGRATION_RESULT_TYPES),
  result_class: z.enum(MIGRATION_RESULT_CLASSES),
  kind: z.enum(MIGRATION_ITEM_KINDS),
  /** Reference of the row in its file, or name of the file. */
  item: z.string(),
  filename: z.string(),
  /** Line of the row, from 1 with the heading; null: the whole file. */
  line: z.nullable(Count),
  /** Reference of the imported payload; null: none. */
  payload_reference: z.nullable(PayloadReference),
  faults: z.array(Fault),
})
export type MigrationResult = z.output<typeof MigrationResult>

/** Actions that a run performs in every group. Its starter needs all of them, as for single calls. */
export const MIGRATION_POWERS = ['groups:update', 'users:create', 'users:update'] as const

const settings = { ...CLIENT_ACCOUNT, path: 'account/migration', response: MigrationSettings } as const

/** Maximum bytes of an uploaded part. */
export const MIGRATION_PART = 1024 ** 2
/** Base64 characters of such a part. */
const PART_CHARACTERS = Math.ceil(MIGRATION_PART / 3) * 4
/** Bytes of a file of a drop folder. */
const FileSize = z.int().check(z.gte(0), z.lte(1024 ** 4))
const Filename = text(1, 500)

/** A complete or partial file of the drop folder. */
export const MigrationFile = z.strictObject({
  /** Path within the folder. */
  filename: z.string(),
  /** The kind of its rows; `media`, `manifest`; `unknown`: the run does not read it. */
  kind: z.enum([...MIGRATION_KINDS, 'media', 'manifest', 'unknown']),
  /** Received bytes, which are the offset to resume an upload. */
  received: Count,
  /** A run ignores incomplete files. */
  is_whole: z.boolean(),
})
export type MigrationFile = z.output<typeof MigrationFile>

const files = { ...CLIENT_ACCOUNT, path: 'migration_files' } as const

export const migrationEndpoints = endpoints({
  listMigrationFiles: {
    ...files,
    method: 'GET',
    action: 'migrations.files:list',
    support: true,
    summary: 'List the files in the drop folder, by name',
    query: {
      ...pageQuery,
      /** Part of the name. */
      search: z.optional(text(1, 255)),
    },
    response: getPage(MigrationFile),
  },
  uploadMigrationFile: {
    ...files,
    method: 'PUT',
    action: 'migrations.files:update',
    summary: 'Upload a part of a file to the drop folder',
    description: `Each part has up to ${MIGRATION_PART} bytes and starts at the end of the previous part. The response contains the received size. Offset 0 restarts the file; a repeated part changes nothing; a gap returns changed_meanwhile. After the last part the server verifies the digest and replaces a file of that name. The server refuses uploads during a run.`,
    body: z.strictObject({
      filename: Filename,
      /** Bytes of the whole file. */
      size: FileSize,
      /** Offset of the part. */
      offset: FileSize,
      /** Base64; empty for an empty file. */
      content: z
        .string()
        .check(
          z.maxLength(PART_CHARACTERS),
          z.regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, { error: 'base64' }),
        ),
      /** Digest of the whole file: parts of two files of one name are never joined. */
      sha256: Sha256,
    }),
    bodyLimit: 2 * 1024 ** 2,
    response: MigrationFile,
    problems: ['changed_meanwhile', 'wrong_checksum', 'wrong_size', 'wrong_state', 'unavailable'],
    secrets: ['content'],
  },
  deleteMigrationFile: {
    ...files,
    method: 'DELETE',
    action: 'migrations.files:delete',
    summary: 'Delete a file from the drop folder',
    query: { filename: Filename },
    response: z.strictObject({ filename: z.string() }),
    problems: ['not_found', 'wrong_state'],
  },
  readMigrationSettings: {
    ...settings,
    method: 'GET',
    action: 'account.migration:read',
    support: true,
    summary: 'Show the migration settings of the account',
  },
  saveMigrationSettings: {
    ...settings,
    method: 'PUT',
    action: 'account.migration:update',
    summary: 'Replace the migration settings of the account',
    body: MigrationSettingsInput,
    problems: ['already_exists', 'changed_meanwhile'],
  },
  listMigrations: {
    ...get(CLIENT_ACCOUNT, 'migrations'),
    action: 'migrations:list',
    support: true,
    summary: 'List the migration runs, newest first',
    query: {
      ...pageQuery,
      migration_states: z.optional(uniqueList(z.enum(MIGRATION_STATES), 1, MIGRATION_STATES.length)),
      is_dry_run: z.optional(queryBoolean()),
      /** Of `created_at`. */
      ...dateRange,
    },
    response: getPage(MigrationRun),
  },
  createMigration: {
    ...post(CLIENT_ACCOUNT, 'migrations'),
    action: 'migrations:create',
    summary: 'Start a migration run; a dry run keeps only its results',
    body: z.strictObject({ is_dry_run: z.boolean() }),
    response: MigrationRun,
    powers: [...MIGRATION_POWERS, ESCALATE],
    problems: ['escalation', 'wrong_state'],
  },
  retryMigration: {
    ...post(CLIENT_ACCOUNT, 'migrations/{migration_reference}/retry'),
    action: 'migrations:run',
    summary: 'Start a run that repeats the failures of another run',
    response: MigrationRun,
    powers: [...MIGRATION_POWERS, ESCALATE],
    problems: ['escalation', 'not_found', 'wrong_state'],
  },
  readMigration: {
    ...get(CLIENT_ACCOUNT, 'migrations/{migration_reference}'),
    action: 'migrations:read',
    support: true,
    summary: 'Show a migration run',
    response: MigrationRun,
    problems: ['not_found'],
  },
  readMigrationSignOff: {
    ...get(CLIENT_ACCOUNT, 'migrations/{migration_reference}/sign_off'),
    action: 'migrations:read',
    support: true,
    summary: 'Show the reconciliation of a migration run and its sample',
    response: MigrationSignOff,
    problems: ['not_found', 'wrong_state'],
  },
  signMigration: {
    ...post(CLIENT_ACCOUNT, 'migrations/{migration_reference}/sign_off'),
    action: 'migrations:sign',
    summary: 'Accept a migration run, so that retention applies to its payloads',
    description:
      'The reviewer must first open each payload of the sample, and play those with sound or picture. Returns wrong_state before that, during processing, for a dry or empty run, and on a repeat. Differences require an explanation.',
    body: z.strictObject({
      explanation: z.optional(text(1, 2000)),
    }),
    response: MigrationRun,
    problems: ['not_found', 'wrong_state'],
  },
  listMigrationResults: {
    ...get(CLIENT_ACCOUNT, 'migrations/{migration_reference}/results'),
    action: 'migrations:read',
    support: true,
    summary: 'List the result of each row of a migration run',
    query: {
      ...pageQuery,
      result_types: z.optional(uniqueList(z.enum(MIGRATION_RESULT_TYPES), 1, MIGRATION_RESULT_TYPES.length)),
      result_classes: z.optional(
        uniqueList(z.enum(MIGRATION_RESULT_CLASSES), 1, MIGRATION_RESULT_CLASSES.length),
      ),
      kinds: z.optional(uniqueList(z.enum(MIGRATION_ITEM_KINDS), 1, MIGRATION_ITEM_KINDS.length)),
      /** Part of the reference of a row. */
      search: z.optional(text(1, 255)),
    },
    response: getPage(MigrationResult),
    problems: ['not_found'],
  },
})
