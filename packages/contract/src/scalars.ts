import * as z from 'zod/mini'
import type { FaultCode } from './fault-phrases.ts'

/** Seconds of an hour and of a day. */
export const HOUR = 3600
export const DAY = 86_400

/** A schema message is the code of its phrase in problems.ts. */
const say = (code: FaultCode) => ({ error: code })
/** The same, but aborts further checks, which would repeat the fault. */
const sayAtOnce = (code: FaultCode) => ({ error: code, abort: true })

/** A string of `min` to `max` characters, matching `pattern` where given. */
export function text(min: number, max: number, pattern?: readonly [RegExp, FaultCode]) {
  const bounds = [z.minLength(min), z.maxLength(max)] as const
  return pattern
    ? z.string().check(...bounds, z.regex(pattern[0], say(pattern[1])), noControl)
    : z.string().check(...bounds, noControl)
}

/**
 * A searchable name in Unicode form NFC, so that equal-looking spellings are equal. Use `text` for texts that stay
 * unchanged, above all those from devices.
 */
export const name = (min: number, max: number, pattern?: readonly [RegExp, FaultCode]) => {
  const bounds = [z.normalize('NFC'), z.minLength(min), z.maxLength(max)] as const
  return pattern
    ? z.string().check(...bounds, z.regex(pattern[0], say(pattern[1])), noControl)
    : z.string().check(...bounds, noControl)
}

/** Multi-line text of `min` to `max` characters; a line ends in a line feed. */
export const prose = (min: number, max: number) =>
  z.string().check(
    z.overwrite((value) => value.replace(/\r\n?/g, '\n')),
    z.minLength(min),
    z.maxLength(max),
    z.refine<string>((value) => !hasControl(value.replace(/[\n\t]/g, ' ')), say('control_character')),
  )

/** Rejects control characters in names; PostgreSQL cannot store NUL. */
const noControl = z.refine<string>((value) => !hasControl(value), say('control_character'))
function hasControl(value: string): boolean {
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i)
    if (code < 32 || code === 127) return true
  }
  return !value.isWellFormed()
}

/**
 * Characters that change the direction of text (Unicode UAX 9), and those without width. Some scripts and emoji need
 * joiners, Latin letters and digits do not.
 */
export const INVISIBLE =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\u3164\ufeff\uffa0]|(?<=[\p{Script=Latin}\d])[\u200c\u200d]+|[\u200c\u200d]+(?=[\p{Script=Latin}\d])/gu

/** Whether a name has invisible characters, so that it could pass for another one. New names have none. */
export const hasInvisible = (value: string): boolean => value.search(INVISIBLE) >= 0

const NO_LEADING_SPACE_OR_COMMA = [/^[^ ,][^,]*$/u, 'no_leading_space_or_comma'] as const
const SIMPLE_NAME = [
  /^(?!.*[\u115f\u1160\u3164\uffa0])[\p{L}\p{N}\-_.!()]+(?: +[\p{L}\p{N}\-_.!()]+)*$/u,
  'simple_name',
] as const

/** Suffixes of actor names: staff in support mode, a client app, staff of the provider. */
export const ACTOR_MARKS = ['support', 'app', 'provider', 'system'] as const
export type ActorMark = (typeof ACTOR_MARKS)[number]
const MARKED = new RegExp(String.raw`\(\s*(?:${ACTOR_MARKS.join('|')})\s*\)\s*$`, 'iu')
/** Rejects names in the form that records use for other actors, or that look like it. */
const unmarked = z.refine<string>(
  (name) => !MARKED.test(name.normalize('NFKC').replace(/[\p{Cf}\u1160]/gu, '')),
  say('reserved_name'),
)

// --- References (spec sections 3 and 5) ---

/** Name of an account. */
export const ClientReference = z.string().check(z.regex(/^[a-z0-9][a-z0-9-]{1,59}$/, say('client_reference')))
/**
 * The group of devices and payloads that wait for confirmation. No client can make a group of this name.
 */
export const RESERVED_GROUP = 'Waiting for confirmation'
export const GroupReference = name(2, 255, NO_LEADING_SPACE_OR_COMMA)
/** A portal user. */
export const UserReference = text(3, 255, NO_LEADING_SPACE_OR_COMMA)
/**
 * Fields of an answer that name the author of a change. With `opened_by` comes `opened_by_name`, the display name
 * of the portal user; absent: not known, or no portal user. Several authors stand in one field with commas. The
 * server adds the names to what a handler returns.
 */
export function authors<const Fields extends Record<string, z.ZodMiniType>>(fields: Fields) {
  const named: Record<string, z.ZodMiniType> = { ...fields }
  for (const field in fields) named[`${field}_name`] = z.optional(z.string())
  return named as Fields & {
    [Field in keyof Fields & string as `${Field}_name`]: z.ZodMiniOptional<z.ZodMiniString>
  }
}
/** A portal user as an identity provider may name them: never in the form that records use for other actors. */
export const PersonReference = UserReference.check(unmarked)
export const DeviceUserReference = text(3, 60, NO_LEADING_SPACE_OR_COMMA)
export const DeviceReference = text(1, 255, [/^[^ ,+#/:][^,+#/:]*$/u, 'device_reference'])
export const RoleReference = name(3, 35, SIMPLE_NAME)
export const TagKey = name(1, 60, SIMPLE_NAME)
export const TagValue = name(0, 255)
export const ClientAppReference = name(3, 60, SIMPLE_NAME).check(unmarked)
export const TransferConfigReference = text(3, 255, [/^[A-Za-z0-9:/_-]+$/, 'transfer_config_reference'])
export const SftpReference = text(1, 255, [/^[A-Za-z0-9_.-]+$/, 'sftp_reference'])
export const PayloadReference = text(26, 36, [/^[A-Za-z0-9_-]+$/, 'reference'])
export const Ulid = z.string().check(z.regex(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/, say('ulid')))
export const ThreadId = text(1, 255)

/** The reason for a download or export, as free text or from the account's list: one line. */
export const AccessReason = text(3, 200, [
  /^(?!.*[\u0085\u2028\u2029\u202a-\u202e\u2066-\u2069])\S.*\S$/su,
  'invalid',
])

// --- People and numbers ---

/** First names and surnames. */
export const PersonName = text(1, 35, NO_LEADING_SPACE_OR_COMMA)
export const Email = text(3, 255, [/^[^@\s,]+@[^@\s,]+$/u, 'email'])
/** With country code; a second party may be a short code or a name that the network sent. */
export const PhoneNumber = z.nullable(text(1, 255))
/** Without country code. */
export const LocalPhoneNumber = text(3, 255)
/** International calling code; up to 999, as ITU-T E.164 has them (docs/specification.md). */
export const CountryCode = z.int().check(z.gte(1), z.lte(999))
export const Imei = z.string().check(z.regex(/^\d{15}$/, say('imei')))
/** Message id of the device's system (spec section 3: exactly 32). */
export const MessageId = z.nullable(text(32, 32))

// --- Times ---

/** Epoch seconds up to the year 9999. */
export const EpochSeconds = z.int().check(z.gte(0), z.lte(253_402_300_799))
export const IsoDate = z
  .string()
  .check(z.regex(/^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/, say('iso_date')))
/** `YYYY-MM-DD` with optional `-HHMMSS`, UTC (spec section 5). */
export const DateParameter = z.string().check(
  z.regex(
    /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:-(?:[01]\d|2[0-3])[0-5]\d[0-5]\d)?$/,
    sayAtOnce('date_parameter'),
  ),
  z.refine<string>((value) => dateParameterToEpoch(value) !== undefined, say('date_parameter')),
)

/**
 * The UTC second that a date parameter means, or undefined when there is no such day.
 * With `end`, a bare date means the midnight after it (reading-the-spec: `to` is exclusive).
 */
export function dateParameterToEpoch(value: string, end = false): number | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})(?:-(\d{2})(\d{2})(\d{2}))?$/.exec(value)
  if (!match) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const at = new Date(0)
  at.setUTCFullYear(year, month - 1, day)
  if (at.getUTCMonth() !== month - 1 || at.getUTCDate() !== day) return undefined
  at.setUTCHours(hour, minute, second)
  return at.getTime() / 1000 + (end && match[4] === undefined ? 86_400 : 0)
}

// --- Networks, keys, addresses ---

/** One to four dotted numbers, a slash, one or two digits (spec section 5), and meaningful as a network. */
export const CidrRange = z
  .string()
  .check(
    z.regex(/^\d{1,3}(?:\.\d{1,3}){0,3}\/\d{1,2}$/, sayAtOnce('cidr')),
    z.refine<string>(isMeaningfulCidr, say('cidr')),
  )
function isMeaningfulCidr(value: string): boolean {
  const [network = '', bits] = value.split('/')
  return Number(bits) <= 32 && network.split('.').every((part) => Number(part) <= 255)
}
export const HttpsAddress = text(9, 2048, [/^https:\/\/[^\s]+$/, 'https_address'])
/** Address of a receiver of the account. Without encryption only if the operator configured an exception. */
export const HookAddress = text(8, 2048, [/^https?:\/\/[^\s]+$/, 'https_address'])
export const Audience = text(5, 255)
export const ObjectDestination = text(6, 1024, [/^s3:\/\/[^\s]+$/, 's3_address'])
export const RoleArn = text(31, 2048, [/^arn:aws[a-z-]*:iam::\d{12,}:role\/[\w+=,.@/-]+$/, 'iam_arn'])
export const SftpRootDirectory = text(1, 1024, [/^\//, 'leading_slash'])
/** Shape only; the evaluation of schedules checks the grammar. */
export const Schedule = text(0, 255, [/^(?:|cron\([^()]+\)|rate\([^()]+\))$/, 'schedule'])
export const Base64 = (maxCharacters: number) =>
  z
    .string()
    .check(
      z.minLength(4),
      z.maxLength(maxCharacters),
      z.regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, say('base64')),
    )
/** AES-GCM nonce of 12 bytes in base64. */
export const Iv = z.string().check(z.regex(/^[A-Za-z0-9+/]{16}$/, say('iv')))
export const Sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/, say('checksum')))

// --- Numbers ---

export const Count = z.int().check(z.gte(0))
/** Licences per service (spec section 9). */
export const LicenseLimit = z.int().check(z.gte(0), z.lte(100_000))
/** Retention days, sizes, durations in seconds, expected device counts. */
export const NonNegative = z.int().check(z.gte(0))

/** A list of `min` to `max` items without duplicates. */
export function uniqueList<T extends z.ZodMiniType>(item: T, min: number, max: number) {
  return z.array(item).check(
    z.minLength(min),
    z.maxLength(max),
    z.refine<z.output<T>[]>(
      (items) => new Set(items.map((each) => JSON.stringify(each))).size === items.length,
      say('not_unique'),
    ),
  )
}
/** Batches of references (spec section 9). */
export const BATCH_LIMIT = 100
/** Maximum records of an act on all that match a filter. */
export const FILTER_LIMIT = 10_000

/**
 * The body of an act on a set: the records of `field`, or with `all` those that match the query. With neither the act
 * is refused, so that a forgotten selection reaches no record.
 */
export const setBody = <Shape extends z.core.$ZodLooseShape>(field: keyof Shape & string, shape: Shape) =>
  z.strictObject({ ...shape, all: z.optional(z.literal(true)) }).check(
    z.refine<Partial<Record<string, unknown>>>(
      (body) => (body[field] === undefined) === (body.all === true),
      {
        error: 'no_selection',
        path: [field],
      },
    ),
  )

// --- Query strings: everything arrives as text ---

/** An integer written in a query string. */
export function queryInteger(min: number, max: number): z.ZodMiniType<number, number> {
  return z.pipe(
    z.transform((value: unknown) =>
      typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value,
    ),
    z.int().check(z.gte(min), z.lte(max)),
  ) as unknown as z.ZodMiniType<number, number>
}
/** `true` or `false` written in a query string. */
export function queryBoolean(): z.ZodMiniType<boolean, boolean> {
  return z.pipe(
    z.transform((value: unknown) => (value === 'true' ? true : value === 'false' ? false : value)),
    z.boolean(),
  ) as unknown as z.ZodMiniType<boolean, boolean>
}
