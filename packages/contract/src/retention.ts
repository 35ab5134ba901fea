import * as z from 'zod/mini'
import { stored } from './access.ts'
import { ENTITY_TYPES, type EntityType } from './alerts.ts'
import { endpoints } from './endpoint.ts'
import { pageOf, pageQuery } from './paging.ts'
import { Proposed } from './proposed.ts'
import { PAYLOAD_TYPES, PayloadType, RETENTION_BASES, RETENTION_BLOCKS } from './payload-types.ts'
import {
  ClientAppReference,
  ClientReference,
  Count,
  EpochSeconds,
  text,
  TransferConfigReference,
  uniqueList,
} from './scalars.ts'

/** Entities other than payloads that are deleted first and can be restored; the others are only destroyed. */
export const DELETABLE_ENTITIES = ['Device', 'DeviceUser'] as const satisfies readonly EntityType[]
export const DESTROYABLE_ENTITIES = [
  'PortalUser',
  'Migration',
  'SupportAccessRequest',
  'Transfer',
] as const satisfies readonly EntityType[]

/** A hundred years: what is meant to stay longer has no entry. */
export const RETENTION_DAYS_LIMIT = 36_525
/** Receipts, and transfers, that an entry may wait for. */
const GATES_LIMIT = 10
const Days = z.int().check(z.gte(0), z.lte(RETENTION_DAYS_LIMIT))

const bothDays = { delete_after_days: z.optional(Days), destroy_after_days: z.optional(Days) }
const hasDays = z.refine<{ delete_after_days?: number | undefined; destroy_after_days?: number | undefined }>(
  ({ delete_after_days, destroy_after_days }) => (delete_after_days ?? destroy_after_days) !== undefined,
  { error: 'days_missing' },
)

/** What an account wants of payloads of one type. Days absent: never; 0: at once. With both, destruction counts from deletion. */
export const PayloadRetention = z
  .strictObject({
    entity_type: z.literal('Payload'),
    payload_type: PayloadType,
    ...bothDays,
    retention_timestamp: z._default(z.enum(RETENTION_BASES), 'payload_time'),
    /** Client apps that must have confirmed it, before it is deleted and before it is destroyed. */
    required_receipts: z._default(uniqueList(ClientAppReference, 0, GATES_LIMIT), []),
    /** Transfers that must have delivered it. */
    required_transfers: z._default(uniqueList(TransferConfigReference, 0, GATES_LIMIT), []),
  })
  .check(hasDays)
export type PayloadRetention = z.output<typeof PayloadRetention>

export const RetentionEntry = z.discriminatedUnion('entity_type', [
  PayloadRetention,
  z.strictObject({ entity_type: z.enum(DELETABLE_ENTITIES), ...bothDays }).check(hasDays),
  z.strictObject({ entity_type: z.enum(DESTROYABLE_ENTITIES), destroy_after_days: Days }),
])
export type RetentionEntry = z.output<typeof RetentionEntry>

/** The legal minimum for payloads of a type: no policy goes below it. */
export const LegalMinimum = z.strictObject({
  payload_type: PayloadType,
  /** From the recording. */
  days: Days,
  /** Which law says so. */
  legal_basis: text(3, 200),
})
export type LegalMinimum = z.output<typeof LegalMinimum>

/** What an entry is about; there is one of each. */
export const subjectOf = (entry: RetentionEntry): string =>
  entry.entity_type === 'Payload' ? `Payload ${entry.payload_type}` : entry.entity_type

const eachOnce = <T>(subject: (each: T) => string) =>
  z.refine<T[]>((each) => new Set(each.map(subject)).size === each.length, { error: 'not_unique' })

const policy = {
  /** What has none stays for good. */
  entries: z.array(RetentionEntry).check(
    z.maxLength(PAYLOAD_TYPES.length + ENTITY_TYPES.length - 1),
    eachOnce((entry: RetentionEntry) => subjectOf(entry)),
  ),
}
const minimums = z.array(LegalMinimum).check(
  z.maxLength(PAYLOAD_TYPES.length),
  eachOnce(({ payload_type }: LegalMinimum) => payload_type),
)
/** Whether a shorter entry applies to payloads from before the version; a longer one always does. */
const applies_to_kept = z._default(z.boolean(), false)

export const RetentionProposal = z.strictObject({
  ...policy,
  /** Absent: unchanged. Minimums rise, and never fall or disappear. */
  minimums: z.optional(minimums),
  applies_to_kept,
})
export type RetentionProposal = z.output<typeof RetentionProposal>
export const RetentionInput = z.strictObject({
  ...RetentionProposal.def.shape,
  /** Why it changes, for readers of the versions. */
  note: z._default(z.nullable(text(1, 500)), null),
})
export type RetentionInput = z.output<typeof RetentionInput>

const version = {
  ...policy,
  minimums,
  applies_to_kept: z.boolean(),
  note: z.nullable(z.string()),
  /** 1, 2, 3 …; 0 before the first save. */
  policy_version: Count,
}
export const RetentionSettings = z.strictObject({ ...version, ...stored })
export type RetentionSettings = z.output<typeof RetentionSettings>

export const RetentionVersion = z.strictObject({
  client: ClientReference,
  ...version,
  updated_at: EpochSeconds,
  updated_by: z.string(),
  /** The second person, where one was asked for. */
  confirmed_by: z.nullable(z.string()),
  /** What it says otherwise than the one before, by what entries are about. */
  changed: z.array(z.string()),
})
export type RetentionVersion = z.output<typeof RetentionVersion>

/** Entities other than payloads that have a policy entry. */
const RecordEntity = z.enum([...DELETABLE_ENTITIES, ...DESTROYABLE_ENTITIES])
/** Records of a kind that are looked at where they are counted, the oldest first. */
export const COUNTED_RECORDS = 200_000
/** Of some kind there are more records than were looked at. */
const is_capped = z.boolean()

/** In how many days from now payloads and records are counted. */
export const PREVIEW_DAYS = [0, 30, 90, 365] as const
/** Payloads due within each of `PREVIEW_DAYS`; a payload that is deleted and later destroyed counts in both. */
const dueBy = z.array(Count).check(z.length(PREVIEW_DAYS.length))
const DueCounts = z.strictObject({ deleted: dueBy, destroyed: dueBy })

export const RetentionPreview = z.strictObject({
  /** When it was counted. */
  at: EpochSeconds,
  /** Payload types of which some would be due within these days, before or after. */
  types: z.array(z.strictObject({ payload_type: PayloadType, before: DueCounts, after: DueCounts })),
  /** The same for other records, by the entry that applies to them. */
  records: z.array(
    z.strictObject({ entity_type: RecordEntity, before: DueCounts, after: DueCounts, is_capped }),
  ),
  /** What would go sooner than now, by what entries are about. */
  shortened: z.array(z.string()),
})
export type RetentionPreview = z.output<typeof RetentionPreview>

/** How many months a forecast looks ahead, this one among them. */
export const FORECAST_MONTHS = 12

const comingUp = z.strictObject({
  /** Due and not gone yet. */
  due: Count,
  /** Becomes due in each of the months. */
  months: z.array(Count).check(z.length(FORECAST_MONTHS)),
})

export const RetentionForecast = z.strictObject({
  /** When it was counted. */
  at: EpochSeconds,
  /** When each month ends that is looked at, in UTC; the first is the one that is. */
  months: z.array(EpochSeconds).check(z.length(FORECAST_MONTHS)),
  types: z.array(
    z.strictObject({
      payload_type: PayloadType,
      /** What is deleted first and destroyed later counts in both. */
      deleted: comingUp,
      destroyed: comingUp,
    }),
  ),
  /** Other records, by the entry that applies to them. */
  records: z.array(
    z.strictObject({ entity_type: RecordEntity, deleted: comingUp, destroyed: comingUp, is_capped }),
  ),
  /** What stays although its time has come, or is not known: a payload counts for each of its reasons. */
  staying: z.array(
    z.strictObject({ payload_type: PayloadType, reason: z.enum(RETENTION_BLOCKS), count: Count }),
  ),
})
export type RetentionForecast = z.output<typeof RetentionForecast>

/** Days for which deletions and destructions are reported. */
export const DEEDS_DAYS = 30

const DeedCounts = z.array(z.strictObject({ payload_type: PayloadType, count: Count }))

export const RetentionExecution = z.strictObject({
  client: ClientReference,
  /** Retention is paused: nothing is deleted or destroyed by it. */
  is_paused: z.boolean(),
  reason: z.nullable(z.string()),
  /** Who paused or resumed it last. */
  updated_at: z.nullable(EpochSeconds),
  updated_by: z.nullable(z.string()),
  /** Since when everything that was due was looked at; null: it never was. */
  looked_at: z.nullable(EpochSeconds),
  /** Recent deletions and destructions. */
  deleted: DeedCounts,
  destroyed: DeedCounts,
  /** Destroyed recordings whose keys or objects are not removed yet. */
  unfinished: Count,
  /** Since when the oldest of them waits; null: none does. */
  unfinished_since: z.nullable(EpochSeconds),
})
export type RetentionExecution = z.output<typeof RetentionExecution>

export const RetentionPause = z.strictObject({
  is_paused: z.boolean(),
  /** The reason, for later readers. */
  reason: text(3, 500),
})

export const retentionEndpoints = endpoints({
  readRetentionForecast: {
    method: 'GET',
    portal: 'client',
    path: 'account/retention/forecast',
    authentication: 'portal',
    action: 'account.retention:read',
    concerns: 'account',
    support: true,
    summary: 'What goes when by the policy as it is, and what stays although it is due',
    description:
      'Counts payloads by month and type, and records beside them by whose entry they follow, the oldest 200,000 of each kind. What a legal hold keeps now counts as held throughout.',
    response: RetentionForecast,
  },
  readRetentionExecution: {
    method: 'GET',
    portal: 'client',
    path: 'account/retention/execution',
    authentication: 'portal',
    action: 'account.retention:read',
    concerns: 'account',
    support: true,
    summary: 'Whether the policy is carried out, and what it did',
    response: RetentionExecution,
  },
  pauseRetention: {
    method: 'PUT',
    portal: 'client',
    path: 'account/retention/execution',
    authentication: 'portal',
    action: 'account.retention:update',
    concerns: 'account',
    summary: 'Pauses retention, or resumes it',
    description: 'Once it is answered nothing goes by the policy until somebody resumes it.',
    body: RetentionPause,
    response: RetentionExecution,
  },
  readRetention: {
    method: 'GET',
    portal: 'client',
    path: 'account/retention',
    authentication: 'portal',
    action: 'account.retention:read',
    concerns: 'account',
    support: true,
    summary: 'After how long things are to be deleted and destroyed',
    response: RetentionSettings,
  },
  saveRetention: {
    method: 'PUT',
    portal: 'client',
    path: 'account/retention',
    authentication: 'portal',
    action: 'account.retention:update',
    concerns: 'account',
    summary: 'Replaces the retention policy; the one before is kept as a version',
    description:
      'What is saved as it is already makes no version. Nothing goes below a legal minimum. Answers 202 with a proposal where something would stay less long and the account asks for a second person.',
    body: RetentionInput,
    response: RetentionSettings,
    deferred: Proposed,
    problems: ['already_exists', 'changed_meanwhile', 'already_proposed', 'person_required'],
  },
  listRetentionVersions: {
    method: 'GET',
    portal: 'client',
    path: 'account/retention/versions',
    authentication: 'portal',
    action: 'account.retention:read',
    concerns: 'account',
    support: true,
    summary: 'Every retention policy that the account had, the newest first',
    query: pageQuery,
    response: pageOf(RetentionVersion),
    problems: ['invalid_cursor'],
  },
  reviewRetention: {
    method: 'POST',
    portal: 'client',
    path: 'account/retention/review',
    authentication: 'portal',
    action: 'account.retention:read',
    concerns: 'account',
    support: true,
    summary: 'How much a policy would make due, beside what is due as it is; saves nothing',
    description:
      'What a legal hold keeps now, or kept within its days of grace, is not counted; neither is what waits for a person, a receipt or a transfer.',
    body: RetentionProposal,
    response: RetentionPreview,
  },
})
