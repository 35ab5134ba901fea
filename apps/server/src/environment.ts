import { hash } from 'node:crypto'
import { MailAddress } from '@custodia/contract'
import { parseWitnessKey } from '@custodia/sealed-log'
import * as z from 'zod/mini'
import { readMaps, readMonitoring } from './http/monitoring.ts'
import { readSmtp } from './ports/mail/read-smtp.ts'
import { suggestName, SECRET_SETTINGS } from './secret-files.ts'

/** Parts of the server that one process may run. */
export const SERVICES = ['api', 'worker'] as const
export type ServiceName = (typeof SERVICES)[number]

const flag = z.pipe(
  z.string().check(z.regex(/^(?:true|false)$/, { error: 'must be true or false' })),
  z.transform((value) => value === 'true'),
)
const address = (...protocols: string[]) =>
  z.string().check(
    z.refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
      error: `must be an address starting with ${protocols.map((each) => `${each}//`).join(' or ')}`,
    }),
  )
/** The portal's addresses begin at the root of its host: a path in front of them would be lost in links and cookies. */
const portal = address('http:', 'https:').check(
  z.refine((value) => !URL.canParse(value) || new URL(value).origin === value.replace(/\/$/, ''), {
    error:
      'must be an origin without a path, such as https://archive.bank.internal: give the portal a host name of its own',
  }),
)
const port = z.pipe(
  z.string().check(z.regex(/^\d{1,5}$/, { error: 'must be a port number' })),
  z.transform(Number),
)
/** Origins without a path, because a path would look like a limit that is not enforced. */
const origins = z.pipe(
  z.string().check(
    z.refine((value) => listed(value).every(isOrigin), {
      error: 'must be origins such as https://idp.bank.internal, separated by commas',
    }),
  ),
  z.transform((value) => listed(value)),
)
/** Calls per second in the long run, and at once: `50/500`; `off` for no limit. */
const rate = z.pipe(
  z.string().check(
    z.regex(/^(?:off|[1-9]\d{0,5}\/[1-9]\d{0,6})$/, {
      error: 'must be calls per second and at once, such as 50/500, or off',
    }),
  ),
  z.transform((value) => {
    const [per_second, burst] = value.split('/').map(Number)
    return per_second && burst ? { per_second, burst } : null
  }),
)
/** KiB per second, and the seconds over which they are counted: `64/120`. */
const progress = z.pipe(
  z.string().check(
    z.regex(/^[1-9]\d{0,5}\/[1-9]\d{0,4}$/, {
      error: 'must be KiB per second and over how many seconds, such as 64/120',
    }),
  ),
  z.transform((value) => {
    const [kib = 0, seconds = 0] = value.split('/').map(Number)
    return { bytesPerSecond: kib << 10, overSeconds: seconds }
  }),
)
const hours = z.pipe(
  z.string().check(z.regex(/^[1-9]\d{0,3}$/, { error: 'must be a number of hours, 1 to 9999' })),
  z.transform(Number),
)
const some = z.string().check(z.minLength(1, { error: 'must not be empty' }))

/** JSON that `read` makes something of. */
const json = <T>(read: (text: string) => T | undefined, example: string) =>
  z.pipe(
    z
      .string()
      .check(z.refine((value) => read(value) !== undefined, { error: `must be JSON such as ${example}` })),
    z.transform((value) => read(value) as T),
  )
const monitoring = json(readMonitoring, '{"*": {"application_id": "…", "region": "eu-west-2", "config": {}}}')
const maps = json(
  readMaps,
  '{"*": {"tiles": "https://maps.example/{z}/{x}/{y}.png?key={map_key}", "map_key": "…", "attribution": "© …"}}',
)

const MailsByClient = z.record(z.string(), z.array(MailAddress))
export type MailsByClient = z.output<typeof MailsByClient>

function readMails(text: string): MailsByClient | undefined {
  try {
    return MailsByClient.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** Every setting, as environment variables. `settings.ts` explains each. */
export const Environment = z.object({
  PORT: z._default(port, 4000),
  HOST: z._default(some, '127.0.0.1'),
  CUSTODIA_DATA: z._default(some, './data'),
  PUBLIC_URL: z.optional(portal),
  ADMIN_PORTAL_URL: z.optional(portal),
  CLIENT_PORTAL_URL: z.optional(portal),
  TRUST_PROXY: z._default(
    z.pipe(
      z.string().check(z.regex(/^\d$/, { error: 'must be the number of proxies in front, 0 to 9' })),
      z.transform(Number),
    ),
    0,
  ),
  DEMO: z._default(flag, true),
  DEMO_SCALE: z._default(z.enum(['small', 'large']), 'small'),
  LOG_LEVEL: z._default(z.enum(['fatal', 'error', 'warn', 'info', 'debug']), 'info'),
  DATABASE_URL: z.optional(address('postgres:', 'postgresql:')),
  DATABASE_UNSAFE: z._default(flag, false),
  DATABASE_REPLICA_URL: z.optional(address('postgres:', 'postgresql:')),
  BACKUP_DATABASE_URL: z.optional(address('postgres:', 'postgresql:')),
  WAL_ARCHIVE: z.optional(some),
  DATABASE_POOL: z._default(
    z.pipe(
      z.string().check(z.regex(/^\d{1,3}$/, { error: 'must be a number of connections' })),
      z.transform(Number),
    ),
    10,
  ),
  S3_BUCKET: z.optional(some),
  S3_ENDPOINT: z.optional(address('http:', 'https:')),
  S3_REGION: z._default(some, 'us-east-1'),
  S3_ACCESS_KEY_ID: z.optional(some),
  S3_SECRET_ACCESS_KEY: z.optional(some),
  S3_PATH_STYLE: z._default(flag, true),
  S3_OBJECT_LOCK: z._default(flag, false),
  TRANSFER_S3_ENDPOINT: z.optional(address('http:', 'https:')),
  TRANSFER_AWS_ACCESS_KEY_ID: z.optional(some),
  TRANSFER_AWS_SECRET_ACCESS_KEY: z.optional(some),
  TRANSFER_AWS_PRINCIPAL: z.optional(
    z.string().check(
      z.regex(/^arn:aws[a-z-]*:iam::\d{12}:(?:root|(?:role|user)\/[\w+=,.@/-]+)$/, {
        error: 'must be the ARN of an account, role or user, such as arn:aws:iam::123456789012:role/custodia',
      }),
    ),
  ),
  TRANSFER_PROGRESS: z._default(progress, { bytesPerSecond: 64 << 10, overSeconds: 120 }),
  TRANSFER_RUN_HOURS: z._default(hours, 24),
  MIGRATION_PROGRESS: z._default(progress, { bytesPerSecond: 64 << 10, overSeconds: 600 }),
  MIGRATION_RUN_HOURS: z._default(hours, 168),
  OIDC_ISSUER: z.optional(address('http:', 'https:')),
  OIDC_CLIENT_ID: z.optional(some),
  OIDC_CLIENT_SECRET: z.optional(some),
  OIDC_DEVICE_CLIENT_ID: z.optional(some),
  EGRESS_ALLOW: z._default(origins, []),
  SMTP_URL: z.optional(
    z.string().check(
      z.refine((value) => readSmtp(value) !== undefined, {
        error:
          'must be the address of a mail server, such as smtps://user:password@mail.bank.internal or smtp://mail.bank.internal:587 (?tls=never for one without encryption)',
      }),
    ),
  ),
  SMTP_FROM: z.optional(
    z
      .string()
      .check(
        z.regex(/^[^@\s,<>]+@[^@\s,<>]+$/, { error: 'must be an address, such as custodia@bank.example' }),
      ),
  ),
  CLAMD_HOST: z.optional(some),
  CLAMD_PORT: z._default(port, 3310),
  CLAMD_SOCKET: z.optional(some),
  FFMPEG_PATH: z.optional(some),
  FFPROBE_PATH: z.optional(some),
  FCM_SERVICE_ACCOUNT: z.optional(some),
  SMS_GATEWAY_NUMBER: z.optional(
    z
      .string()
      .check(
        z.regex(/^\+?\d{3,15}$/, { error: 'must be a phone number, such as +441632960000, or a short code' }),
      ),
  ),
  CHECKPOINT_MINUTES: z._default(
    z.pipe(
      z.string().check(z.regex(/^[1-9]\d{0,3}$/, { error: 'must be a number of minutes' })),
      z.transform(Number),
    ),
    60,
  ),
  CHECKPOINT_MAIL: z._default(json(readMails, '{"acme": ["auditor@bank.example"]}'), {}),
  TSA_URL: z.optional(address('http:', 'https:')),
  WITNESS_URL: z.optional(address('http:', 'https:')),
  WITNESS_KEY: z.optional(
    z
      .string()
      .check(
        z.refine(
          (value) => parseWitnessKey((bytes) => hash('sha256', bytes, 'buffer'), value) !== undefined,
          { error: 'must be the key of a witness, such as witness.example+1234abcd+BA…' },
        ),
      ),
  ),
  METRICS_TOKEN: z.optional(some),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.optional(address('http:', 'https:')),
  ATTESTATION_ROOTS: z.optional(some),
  MAPS: z._default(maps, {}),
  MONITORING: z._default(monitoring, {}),
  HOME_PAGE: z._default(
    z
      .string()
      .check(z.regex(/^\/[\w-]*(?:\/[\w-]+)*$/, { error: 'must be a path of the portal, such as /sign-in' })),
    '/',
  ),
  STATUS_PORT: z.optional(port),
  STATUS_HOST: z._default(some, '127.0.0.1'),
  DISK_RESERVE_MB: z._default(
    z.pipe(
      z.string().check(z.regex(/^\d{1,7}$/, { error: 'must be a number of megabytes' })),
      z.transform(Number),
    ),
    512,
  ),
  DEVICE_INACTIVE_DAYS: z._default(
    z.pipe(
      z.string().check(z.regex(/^[1-9]\d{0,3}$/, { error: 'must be a number of days, 1 to 9999' })),
      z.transform(Number),
    ),
    30,
  ),
  RATE_PORTAL: z._default(rate, { per_second: 50, burst: 500 }),
  RATE_DEVICE: z._default(rate, { per_second: 100, burst: 1000 }),
  RATE_DEVICE_ITEMS: z._default(rate, { per_second: 10, burst: 1000 }),
  RATE_DEVICE_REPORTS: z._default(rate, { per_second: 50, burst: 5000 }),
  // A bank's people may share one address.
  RATE_PUBLIC: z._default(rate, { per_second: 50, burst: 1000 }),
})

/** The settings as parsed, with defaults. */
export type Settings = z.output<typeof Environment>
export type SettingName = keyof typeof Environment.shape

/** Defaults as one writes them; a setting without a default is missing. */
export const SETTING_DEFAULTS: Readonly<Partial<Record<SettingName, string>>> = Object.fromEntries(
  Object.entries(Environment.parse({})).flatMap(([name, value]) => {
    const text = defaultText(value)
    return text === undefined ? [] : [[name, text]]
  }),
)

function defaultText(value: unknown): string | undefined {
  if (value === undefined || (typeof value === 'object' && Object.keys(value ?? {}).length === 0))
    return undefined
  // Pairs of numbers are written with a slash.
  return typeof value === 'object' ? Object.values(value ?? {}).join('/') : String(value)
}

/** Names of all settings. */
export const SETTINGS = Object.keys(Environment.shape)

/** Names that `_FILE` of a secret and the settings have. */
const KNOWN = new Set([...SETTINGS, ...SECRET_SETTINGS.map((name) => `${name}_FILE`)])

/**
 * A sentence for each name that looks like a setting of this server and is none: another `CUSTODIA_…`, a slip of the finger, and `_FILE` of
 * a setting that holds no secret.
 */
export function unknownSettings(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    if (KNOWN.has(name)) return []
    const other = suggestName(name, [...KNOWN])
    const isOurs = name.startsWith('CUSTODIA_') || SETTINGS.includes(name.replace(/_FILE$/, ''))
    if (other === undefined && !isOurs) return []
    return [`${name}: no setting has this name${other === undefined ? '.' : `; did you mean ${other}?`}`]
  })
}

function listed(value: string): string[] {
  return value
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
}

function isOrigin(value: string): boolean {
  if (!URL.canParse(value)) return false
  if (value.startsWith('sftp:')) return /^sftp:\/\/[^\s/@?#]+:\d+$/.test(value)
  return /^https?:/.test(value) && new URL(value).origin === value
}

/** Settings that exclude or need each other, as sentences. */
export function contradictions(e: Settings, services: readonly ServiceName[]): string[] {
  const faults: string[] = []
  if (services.length < SERVICES.length && !e.DATABASE_URL) {
    faults.push(
      '--services: splitting the process needs DATABASE_URL, because the embedded database belongs to one process',
    )
  }
  if (e.WAL_ARCHIVE && e.DATABASE_URL)
    faults.push(
      'WAL_ARCHIVE: is for the embedded database; archive the log of DATABASE_URL with its own means',
    )
  if ((e.DATABASE_REPLICA_URL || e.BACKUP_DATABASE_URL) && !e.DATABASE_URL)
    faults.push('DATABASE_URL: is missing')
  if ((e.S3_ACCESS_KEY_ID === undefined) !== (e.S3_SECRET_ACCESS_KEY === undefined)) {
    faults.push('S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY: set both or neither')
  }
  if ((e.TRANSFER_AWS_ACCESS_KEY_ID === undefined) !== (e.TRANSFER_AWS_SECRET_ACCESS_KEY === undefined))
    faults.push('TRANSFER_AWS_ACCESS_KEY_ID, TRANSFER_AWS_SECRET_ACCESS_KEY: set both or neither')
  if (e.S3_BUCKET === undefined && (e.S3_ENDPOINT || e.S3_ACCESS_KEY_ID)) faults.push('S3_BUCKET: is missing')
  if (e.OIDC_ISSUER && !e.OIDC_CLIENT_ID) faults.push('OIDC_CLIENT_ID: is missing')
  if (!e.OIDC_ISSUER && (e.OIDC_CLIENT_ID || e.OIDC_CLIENT_SECRET || e.OIDC_DEVICE_CLIENT_ID))
    faults.push('OIDC_ISSUER: is missing')
  if ((e.WITNESS_URL === undefined) !== (e.WITNESS_KEY === undefined))
    faults.push('WITNESS_URL, WITNESS_KEY: set both or neither')
  if ((e.SMTP_URL === undefined) !== (e.SMTP_FROM === undefined))
    faults.push('SMTP_URL, SMTP_FROM: set both or neither')
  if (e.CLAMD_SOCKET && e.CLAMD_HOST) faults.push('CLAMD_SOCKET, CLAMD_HOST: set one of them')
  return faults
}
