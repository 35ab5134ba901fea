import * as z from 'zod/mini'
import { ESCALATE, UpdatedBy } from './access.ts'
import { endpoints } from './endpoint.ts'
import { Fault } from './faults.ts'
import { MIGRATION_RESULT_CLASSES, MIGRATION_RESULT_TYPES } from './migration-results.ts'
import { PayloadType } from './payload-types.ts'
import { pageOf, pageQuery } from './paging.ts'
import {
  ClientReference,
  Count,
  DateParameter,
  EpochSeconds,
  PayloadReference,
  queryBoolean,
  Sha256,
  text,
  Ulid,
  uniqueList,
} from './scalars.ts'

/** `Quarantined`: a scanner found something in a file of it, and nothing was imported. */
export const MIGRATION_STATES = ['Pending', 'Quarantined', 'Migrated', 'PartialFail', 'Failed'] as const
export type MigrationState = (typeof MIGRATION_STATES)[number]
/** Kinds of files, in the order in which they are imported, and what a run says about files themselves. */
export const MIGRATION_KINDS = ['Group', 'DeviceUser', 'Device', 'Payload'] as const
export const MIGRATION_ITEM_KINDS = [...MIGRATION_KINDS, 'File'] as const
/** Items of a result type that a run names itself; the others are listed. */
export const MIGRATION_SAMPLE = 10
/** Maximum payloads of a run that a reviewer opens before acceptance. */
export const SIGN_OFF_SAMPLE = 10
/** Days from a run without errors until its files are erased, by default. */
export const MIGRATION_ERASE_DAYS = 30
const switches = {
  /** Whether device users and devices are left as they are who would join. */
  disable_onboarding: z.boolean(),
  /** Whether device users and devices are left as they are who would leave. */
  disable_offboarding: z.boolean(),
  /** Whether no payload that is new is imported. */
  disable_payloads: z.boolean(),
}
/** Days after a run without errors until its files are erased. */
const EraseDays = z.int().check(z.gte(1), z.lte(3650))

/** What the account takes over of its legacy platform (spec section 3). */
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
  updated_by: z.nullable(z.string()),
})
export type MigrationSettings = z.output<typeof MigrationSettings>

/** Rows of one result type: how many, and the first of them. */
const Items = z.strictObject({
  result_type: z.enum(MIGRATION_RESULT_TYPES),
  count: Count,
  /** What they are called, the first ten. */
  items: z.array(z.string()),
})

/** One run over the files of a legacy platform. */
export const MigrationRun = z.strictObject({
  client: ClientReference,
  migration_reference: Ulid,
  migration_state: z.enum(MIGRATION_STATES),
  /** Says what a run would do: nothing was imported. */
  is_dry_run: z.boolean(),
  created_at: EpochSeconds,
  created_by: z.string(),
  /** The run of which it repeats what failed; null: it is one by itself. */
  retry_of: z.nullable(Ulid),
  /** When it ended; null: it is under way. */
  migrated_at: z.nullable(EpochSeconds),
  /** The files with rows, by name, separated by commas. */
  filename: z.string(),
  /** Rows read so far, by what they are of. */
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
  /** Why the whole of it failed; null: see its results. */
  error_message: z.nullable(z.string()),
  /** The acceptance of the import; null: not accepted yet, so retention keeps its payloads. */
  signed_off_at: z.nullable(EpochSeconds),
  signed_off_by: z.nullable(z.string()),
  /** Why the reviewer accepts the differences; null: no differences, or not accepted. */
  explanation: z.nullable(z.string()),
  /** Of one with errors: the later run without any that read the same files anew, or repeated what failed; null: none yet. */
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
  /** Files with rows, by name, and those with which something is wrong; of each the first 1000. */
  files: z.array(
    z.strictObject({
      filename: z.string(),
      size: Count,
      /** As it was scanned, and read again when it was imported. */
      sha256: z.string(),
      /** Rows in the file, counted when it was read; null: it was not read to its end. */
      rows: z.nullable(Count),
      /** Results of those rows; of a retry only those of what it repeats. */
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
      /** Imported ones whose stored data has the digest of its source, and those that have none. */
      verified: Count,
      /** Still being processed. */
      awaited: Count,
      /** Whose stored data has another digest than its source, or could not be processed. */
      differing: Count,
    }),
  ),
  /** Drawn by the server when the run ended; what is destroyed meanwhile stays in it. */
  sample: z.array(
    z.strictObject({
      payload_reference: PayloadReference,
      payload_type: PayloadType,
      /** What the legacy platform calls it. */
      item: z.string(),
      /** By the caller, after the run. */
      is_opened: z.boolean(),
      /** Whether it is to be played as well: it has sound or a picture. */
      must_play: z.boolean(),
      is_played: z.boolean(),
    }),
  ),
  /** Rows and files that were not imported as they stand, and payloads that differ: to be explained. */
  differences: Count,
  /** Whether the caller may accept it now; with an explanation, where something differs. */
  is_ready: z.boolean(),
})
export type MigrationSignOff = z.output<typeof MigrationSignOff>

/** What became of one row, or of a file. */
export const MigrationResult = z.strictObject({
  /** Counted from 1 in the order in which they came about. */
  sequence: Count,
  result_type: z.enum(MIGRATION_RESULT_TYPES),
  result_class: z.enum(MIGRATION_RESULT_CLASSES),
  kind: z.enum(MIGRATION_ITEM_KINDS),
  /** What the row is called in its file: a reference; of a file, its name. */
  item: z.string(),
  filename: z.string(),
  /** Of the row, counted from 1 with the heading; null: the whole file. */
  line: z.nullable(Count),
  /** The payload as it is called here; null: there is none. */
  payload_reference: z.nullable(PayloadReference),
  /** What is wrong, column by column. */
  faults: z.array(Fault),
})
export type MigrationResult = z.output<typeof MigrationResult>

/** What rows of a run do, each for every group: who starts one needs all of it, as for the same calls one by one. */
export const MIGRATION_POWERS = ['groups:update', 'users:create', 'users:update'] as const

const row = { portal: 'client', authentication: 'portal', concerns: 'account' } as const
const one = { ...row, params: z.object({ migration_reference: Ulid }) } as const
const settings = {
  ...row,
  path: 'account/migration',
  response: MigrationSettings,
} as const

/** Bytes of a part of a file that one call brings, at most. */
export const MIGRATION_PART = 1024 ** 2
/** Base64 characters of such a part. */
const PART_CHARACTERS = Math.ceil(MIGRATION_PART / 3) * 4
/** Bytes of a file of a drop folder. */
const FileSize = z.int().check(z.gte(0), z.lte(1024 ** 4))
const Filename = text(1, 500)

/** A file of the drop folder, or what has come of one. */
export const MigrationFile = z.strictObject({
  /** Path within the folder. */
  filename: z.string(),
  /** The kind of its rows; `media`, `manifest`; `unknown`: the run does not read it. */
  kind: z.enum([...MIGRATION_KINDS, 'media', 'manifest', 'unknown']),
  /** Bytes that are there: where an upload goes on. */
  received: Count,
  /** Until it is, no run sees it. */
  is_whole: z.boolean(),
})
export type MigrationFile = z.output<typeof MigrationFile>

const files = { ...row, path: 'migration_files' } as const

export const migrationEndpoints = endpoints({
  listMigrationFiles: {
    ...files,
    method: 'GET',
    action: 'migrations.files:list',
    support: true,
    summary: 'Files in the drop folder, by name, those still on their way among them',
    query: {
      ...pageQuery,
      /** Part of the name. */
      search: z.optional(text(1, 255)),
    },
    response: pageOf(MigrationFile),
    problems: ['invalid_cursor'],
  },
  uploadMigrationFile: {
    ...files,
    method: 'PUT',
    action: 'migrations.files:update',
    summary: 'Brings a part of a file into the drop folder',
    description: `A file comes in parts of up to ${MIGRATION_PART} bytes, each at the place where the one before ended; the answer, and the list, tell how much is there. One at 0 begins the file anew; one that is there already changes nothing; one that leaves a gap is refused with changed_meanwhile. With its last part the file is held against its digest, where one is given, and takes the place of one of its name. While a run is under way nothing can be brought.`,
    body: z.strictObject({
      filename: Filename,
      /** Of the whole file. */
      size: FileSize,
      /** Where the part begins. */
      offset: FileSize,
      /** Base64; empty for an empty file. */
      content: z
        .string()
        .check(
          z.maxLength(PART_CHARACTERS),
          z.regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, { error: 'base64' }),
        ),
      /** Of the whole file. */
      sha256: z.optional(Sha256),
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
    summary: 'Removes a file from the drop folder, or what has come of it',
    query: { filename: Filename },
    response: z.strictObject({ filename: z.string() }),
    problems: ['not_found', 'wrong_state'],
  },
  readMigrationSettings: {
    ...settings,
    method: 'GET',
    action: 'account.migration:read',
    support: true,
    summary: 'What the account takes over of its legacy platform',
  },
  saveMigrationSettings: {
    ...settings,
    method: 'PUT',
    action: 'account.migration:update',
    summary: 'Replaces what the account takes over of its legacy platform',
    body: MigrationSettingsInput,
    problems: ['changed_meanwhile'],
  },
  listMigrations: {
    ...row,
    method: 'GET',
    path: 'migrations',
    action: 'migrations:list',
    support: true,
    summary: 'Runs over the files of a legacy platform, newest first',
    query: {
      ...pageQuery,
      migration_states: z.optional(uniqueList(z.enum(MIGRATION_STATES), 1, MIGRATION_STATES.length)),
      is_dry_run: z.optional(queryBoolean()),
      /** Of `created_at`, inclusive. */
      from: z.optional(DateParameter),
      /** Exclusive; a bare date means the midnight after it. */
      to: z.optional(DateParameter),
    },
    response: pageOf(MigrationRun),
    problems: ['invalid_cursor'],
  },
  createMigration: {
    ...row,
    method: 'POST',
    path: 'migrations',
    action: 'migrations:create',
    summary: 'Starts a run over the files in the drop folder; of a dry run only the results are kept',
    body: z.strictObject({ is_dry_run: z.boolean() }),
    response: MigrationRun,
    powers: [...MIGRATION_POWERS, ESCALATE],
    problems: ['escalation', 'wrong_state'],
  },
  retryMigration: {
    ...one,
    method: 'POST',
    path: 'migrations/{migration_reference}/retry',
    action: 'migrations:run',
    summary: 'Starts a run that repeats what failed of another one, by the files as they are now',
    response: MigrationRun,
    powers: [...MIGRATION_POWERS, ESCALATE],
    problems: ['escalation', 'not_found', 'wrong_state'],
  },
  readMigration: {
    ...one,
    method: 'GET',
    path: 'migrations/{migration_reference}',
    action: 'migrations:read',
    support: true,
    summary: 'One run over the files of a legacy platform',
    response: MigrationRun,
    problems: ['not_found'],
  },
  readMigrationSignOff: {
    ...one,
    method: 'GET',
    path: 'migrations/{migration_reference}/sign_off',
    action: 'migrations:read',
    support: true,
    summary: 'Files of a run against what was imported, and the sample that whoever accepts it opens',
    response: MigrationSignOff,
    problems: ['not_found', 'wrong_state'],
  },
  signMigration: {
    ...one,
    method: 'POST',
    path: 'migrations/{migration_reference}/sign_off',
    action: 'migrations:sign',
    summary: 'Accepts what a run imported, by name: until then retention leaves it alone',
    description:
      'Whoever accepts it has opened each payload of the sample after the run, and played what has sound or a picture: the account’s log says so. Refused with wrong_state before that, while something is still being processed, of a dry run, of one that imported nothing, and the second time. An explanation is required where something differs.',
    body: z.strictObject({
      /** Why what differs is accepted. */
      explanation: z.optional(text(1, 2000)),
    }),
    response: MigrationRun,
    problems: ['not_found', 'wrong_state'],
  },
  listMigrationResults: {
    ...one,
    method: 'GET',
    path: 'migrations/{migration_reference}/results',
    action: 'migrations:read',
    support: true,
    summary: 'What became of each row of a run, in the order of the files',
    query: {
      ...pageQuery,
      result_types: z.optional(uniqueList(z.enum(MIGRATION_RESULT_TYPES), 1, MIGRATION_RESULT_TYPES.length)),
      result_classes: z.optional(
        uniqueList(z.enum(MIGRATION_RESULT_CLASSES), 1, MIGRATION_RESULT_CLASSES.length),
      ),
      kinds: z.optional(uniqueList(z.enum(MIGRATION_ITEM_KINDS), 1, MIGRATION_ITEM_KINDS.length)),
      /** Part of what a row is called. */
      search: z.optional(text(1, 255)),
    },
    response: pageOf(MigrationResult),
    problems: ['not_found', 'invalid_cursor'],
  },
})
