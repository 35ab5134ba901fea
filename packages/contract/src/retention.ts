import * as z from 'zod/mini'
import { stored } from './access.ts'
import { ENTITY_TYPES, type EntityType } from './alerts.ts'
import { CLIENT_ACCOUNT, endpoints, get, getPage, pageQuery, post, put } from './endpoint.ts'
import { PAYLOAD_TYPES, PayloadType, RETENTION_BASES, RETENTION_BLOCKS } from './payload-types.ts'
import { phrase } from './phrases.ts'
import { ProposalAnswer } from './proposed.ts'
import {
  authors,
  ClientAppReference,
  ClientReference,
  Count,
  EpochSeconds,
  text,
  TransferConfigReference,
  uniqueList,
} from './scalars.ts'

const COMMUNICATIONS = PAYLOAD_TYPES.filter((type) => type !== 'Diagnostics')

/** Days of whole years, with the maximum of leap days. */
const years = (count: number): number => count * 365 + Math.ceil(count / 4)

/**
 * Templates of policies with the periods of supervisory rules. The lawyers of an account decide whether a rule
 * applies.
 */
export const RETENTION_TEMPLATES = [
  template('MiFID II, art. 16(7)', 5, phrase('5 years', '5 anos')),
  template(
    'MiFID II, art. 16(7)',
    7,
    phrase('7 years, if the supervisor requires it', '7 anos, se a autoridade exigir'),
  ),
  template('SEC 17a-4(b)(4)', 3, phrase('3 years, communications', '3 anos, comunicações')),
  template('SEC 17a-4(a)', 6, phrase('6 years', '6 anos')),
  template('Resolução CVM 35', 5, phrase('5 years', '5 anos')),
] as const

function template(rule: string, count: number, words: ReturnType<typeof phrase>) {
  return {
    rule,
    years: count,
    days: years(count),
    words,
    payload_types: COMMUNICATIONS as readonly PayloadType[],
  }
}

/** Entities other than payloads that are deleted first and can be restored; the others are only destroyed. */
export const DELETABLE_ENTITIES = ['Device', 'DeviceUser'] as const satisfies readonly EntityType[]
export const DESTROYABLE_ENTITIES = [
  'PortalUser',
  'Migration',
  'SupportAccessRequest',
  'Transfer',
] as const satisfies readonly EntityType[]

/** A hundred years. Records without an entry stay permanently. */
export const RETENTION_DAYS_LIMIT = 36_525
/** Maximum receipts, and transfers, that an entry requires. */
const GATES_LIMIT = 10
const Days = z.int().check(z.gte(0), z.lte(RETENTION_DAYS_LIMIT))

const bothDays = { delete_after_days: z.optional(Days), destroy_after_days: z.optional(Days) }
const hasDays = z.refine<{ delete_after_days?: number | undefined; destroy_after_days?: number | undefined }>(
  ({ delete_after_days, destroy_after_days }) => (delete_after_days ?? destroy_after_days) !== undefined,
  { error: 'days_missing' },
)

/** Policy entry for payloads of one type. Days absent: never; 0: at once. With both, destruction counts from deletion. */
export const PayloadRetention = z
  .strictObject({
    entity_type: z.literal('Payload'),
    payload_type: PayloadType,
    ...bothDays,
    retention_timestamp: z._default(z.enum(RETENTION_BASES), 'payload_time'),
    /** Client apps that must confirm it before deletion and destruction. */
    required_receipts: z._default(uniqueList(ClientAppReference, 0, GATES_LIMIT), []),
    /** Transfers that must deliver it first. */
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
  /** Days from the recording. */
  days: Days,
  /** The law. */
  legal_basis: text(3, 200),
})
export type LegalMinimum = z.output<typeof LegalMinimum>

/** Subjects of entries; each has at most one entry. */
export const getSubject = (entry: RetentionEntry): string =>
  entry.entity_type === 'Payload' ? `Payload ${entry.payload_type}` : entry.entity_type

const eachOnce = <T>(subject: (each: T) => string) =>
  z.refine<T[]>((each) => new Set(each.map(subject)).size === each.length, { error: 'not_unique' })

const policy = {
  /** Records without an entry stay permanently. */
  entries: z.array(RetentionEntry).check(
    z.maxLength(PAYLOAD_TYPES.length + ENTITY_TYPES.length - 1),
    eachOnce((entry: RetentionEntry) => getSubject(entry)),
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
  /** Reason for the change. */
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
  ...authors({ updated_by: z.string() }),
  /** The second person, if dual control applied. */
  ...authors({ confirmed_by: z.nullable(z.string()) }),
  changed: z.array(z.string()),
})
export type RetentionVersion = z.output<typeof RetentionVersion>

/** Entities other than payloads that have a policy entry. */
const RecordEntity = z.enum([...DELETABLE_ENTITIES, ...DESTROYABLE_ENTITIES])
/** Maximum records per kind in counts, oldest first. */
export const COUNTED_RECORDS = 200_000
/** Whether a kind has more records than the limit. */
const is_capped = z.boolean()

/** Horizons of the preview in days from now. */
export const PREVIEW_DAYS = [0, 30, 90, 365] as const
/** Payloads due within each of `PREVIEW_DAYS`; a payload that is deleted and later destroyed counts in both. */
const dueBy = z.array(Count).check(z.length(PREVIEW_DAYS.length))
const DueCounts = z.strictObject({ deleted: dueBy, destroyed: dueBy })

export const RetentionPreview = z.strictObject({
  /** Time of the count. */
  at: EpochSeconds,
  /** Payload types with due payloads within these days, under the old or the new policy. */
  types: z.array(z.strictObject({ payload_type: PayloadType, before: DueCounts, after: DueCounts })),
  /** The same for other records, by the entry that applies to them. */
  records: z.array(
    z.strictObject({ entity_type: RecordEntity, before: DueCounts, after: DueCounts, is_capped }),
  ),
  /** Entries with a shorter period. */
  shortened: z.array(z.string()),
})
export type RetentionPreview = z.output<typeof RetentionPreview>

/** Months of a forecast, including the current one. */
export const FORECAST_MONTHS = 12

const comingUp = z.strictObject({
  /** Overdue. */
  due: Count,
  /** Becomes due in each of the months. */
  months: z.array(Count).check(z.length(FORECAST_MONTHS)),
})

export const RetentionForecast = z.strictObject({
  /** Time of the count. */
  at: EpochSeconds,
  /** End of each month in UTC, starting with the current one. */
  months: z.array(EpochSeconds).check(z.length(FORECAST_MONTHS)),
  types: z.array(
    z.strictObject({
      payload_type: PayloadType,
      /** A payload that is deleted and later destroyed counts in both. */
      deleted: comingUp,
      destroyed: comingUp,
    }),
  ),
  /** Other records, by the entry that applies to them. */
  records: z.array(
    z.strictObject({ entity_type: RecordEntity, deleted: comingUp, destroyed: comingUp, is_capped }),
  ),
  /** Payloads that stay past their due date, or without a known date; a payload counts once per reason. */
  staying: z.array(
    z.strictObject({ payload_type: PayloadType, reason: z.enum(RETENTION_BLOCKS), count: Count }),
  ),
})
export type RetentionForecast = z.output<typeof RetentionForecast>

/** Days of reported deletions and destructions. */
export const DAY_COUNTS_SHOWN = 30

const TypeCounts = z.array(z.strictObject({ payload_type: PayloadType, count: Count }))

export const RetentionExecution = z.strictObject({
  client: ClientReference,
  /** Whether retention is paused. */
  is_paused: z.boolean(),
  reason: z.nullable(z.string()),
  /** The user who paused or resumed it last. */
  updated_at: z.nullable(EpochSeconds),
  ...authors({ updated_by: z.nullable(z.string()) }),
  /** Since when the sealed log contradicts a checkpoint, so that nothing expires; null: it does not. */
  contradicted_at: z.nullable(EpochSeconds),
  /** Last complete run; null: none. */
  looked_at: z.nullable(EpochSeconds),
  /** Recent deletions and destructions. */
  deleted: TypeCounts,
  destroyed: TypeCounts,
  /** Destroyed recordings whose keys or objects are not removed yet. */
  unfinished: Count,
  /** Time since which the oldest of them waits; null: none. */
  unfinished_since: z.nullable(EpochSeconds),
})
export type RetentionExecution = z.output<typeof RetentionExecution>

const RESTORED = 'retention_restored'

/**
 * Reason of a pause after a restore: a code, the time of the backup, and the reason of an earlier pause.
 * @param former null: retention was not paused
 */
export const restoredReason = (backup: Date, former: string | null): string =>
  [RESTORED, backup.toISOString(), ...(former === null ? [] : [readRestored(former)?.former ?? former])].join(
    ' ',
  )

/** Parts of such a reason; undefined for one that a person wrote. */
export function readRestored(reason: string): { backup: number; former: string | undefined } | undefined {
  const [code, at = '', ...former] = reason.split(' ')
  const backup = Date.parse(at) / 1000
  if (code !== RESTORED || Number.isNaN(backup)) return undefined
  return { backup, former: former.length > 0 ? former.join(' ') : undefined }
}

export const RetentionPause = z.strictObject({
  is_paused: z.boolean(),
  /** Reason for the pause or the resumption. */
  reason: text(3, 500),
})

export const retentionEndpoints = endpoints({
  readRetentionForecast: {
    ...get(CLIENT_ACCOUNT, 'account/retention/forecast'),
    action: 'account.retention:read',
    support: true,
    summary: 'Forecast the expiry of records by the current policy',
    description:
      'Counts payloads by month and type, and other records by policy entry: the oldest 200,000 of each kind. Records on legal hold count as held throughout.',
    response: RetentionForecast,
  },
  readRetentionExecution: {
    ...get(CLIENT_ACCOUNT, 'account/retention/execution'),
    action: 'account.retention:read',
    support: true,
    summary: 'Show the state and the results of retention',
    response: RetentionExecution,
  },
  pauseRetention: {
    ...put(CLIENT_ACCOUNT, 'account/retention/execution'),
    action: 'account.retention:update',
    summary: 'Pause or resume retention',
    description: 'After the response the policy deletes nothing until an administrator resumes it.',
    body: RetentionPause,
    response: RetentionExecution,
  },
  readRetention: {
    ...get(CLIENT_ACCOUNT, 'account/retention'),
    action: 'account.retention:read',
    support: true,
    summary: 'Show the retention policy',
    response: RetentionSettings,
  },
  saveRetention: {
    ...put(CLIENT_ACCOUNT, 'account/retention'),
    action: 'account.retention:update',
    summary: 'Replace the retention policy; former versions stay',
    description:
      'An unchanged policy makes no version. No period can be below the legal minimum. Returns 202 with a proposal if a period is shorter and the account requires a second person.',
    body: RetentionInput,
    response: RetentionSettings,
    deferred: ProposalAnswer,
    problems: ['already_exists', 'changed_meanwhile', 'already_proposed', 'person_required'],
  },
  listRetentionVersions: {
    ...get(CLIENT_ACCOUNT, 'account/retention/versions'),
    action: 'account.retention:read',
    support: true,
    summary: 'List the versions of the retention policy, newest first',
    query: pageQuery,
    response: getPage(RetentionVersion),
  },
  reviewRetention: {
    ...post(CLIENT_ACCOUNT, 'account/retention/review'),
    action: 'account.retention:read',
    support: true,
    summary: 'Preview the records due by a new policy and by the current',
    description:
      'Does not count records on legal hold or within its days of grace, or records that wait for a person, a receipt or a transfer.',
    body: RetentionProposal,
    response: RetentionPreview,
  },
})
