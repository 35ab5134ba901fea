import type { WorkLimits } from './ports/jobs.ts'
import { resolve } from 'node:path'
import * as z from 'zod/mini'
import type { Rate, Rates } from './http/admit.ts'
import { meant, readSecretFiles } from './secret-files.ts'
import { readSmtp, type SmtpServer } from './ports/mail/read-smtp.ts'
import { type MapsByClient, type MonitoringByClient, readMaps, readMonitoring } from './http/monitoring.ts'

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

/** Every setting, as environment variables. `settings.ts` explains each. */
const Environment = z.object({
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
  OIDC_PHONE_CLIENT_ID: z.optional(some),
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

/** The settings of this process, checked and with defaults filled in. */
export interface Config {
  /** Where the API listens; 0 for any free port. */
  port: number
  host: string
  /** Folder that holds all state of an installation without outside services. */
  dataDir: string
  /** Origin under which browsers reach the portal. */
  publicUrl: string
  adminPortalUrl: string
  clientPortalUrl: string
  /** Maps with streets, by client. */
  maps: MapsByClient
  /** Real-user monitoring, by client. */
  monitoring: MonitoringByClient
  /** Where the portal's address leads; `/` for the page that says what the product is. */
  homePage: string
  /** Number of trusted proxies that set X-Forwarded-For. */
  trustProxy: number
  demo: boolean
  logLevel: string
  services: readonly ServiceName[]
  database: {
    url: string | undefined
    pool: number
    replica: string | undefined
    /** The same database, as a role that reads the rows of all clients; `custodia backup` uses it. */
    backup: string | undefined
    /** Whether a database that may lose acknowledged data is acceptable. */
    isUnsafe: boolean
  }
  /** Folder into which the embedded database copies its write-ahead log. */
  walArchive: string | undefined
  s3:
    | {
        bucket: string
        endpoint: string | undefined
        region: string
        accessKeyId: string | undefined
        secretAccessKey: string | undefined
        forcePathStyle: boolean
      }
    | undefined
  /** The service of customers' buckets, AWS or another one with S3 and STS, and the identity to use there. */
  transferS3: {
    endpoint: string | undefined
    accessKeyId: string | undefined
    secretAccessKey: string | undefined
    /** The principal that the trust policies of customers' roles name. */
    principal: string | undefined
  }
  /** What a target must take at least, and the seconds that a run may take, before the run is ended. */
  transfers: WorkLimits
  /** As much as a migration must read at least, and the seconds that a run may take, before the run is ended. */
  migrations: WorkLimits
  oidc:
    | {
        issuer: string
        client_id: string
        client_secret: string | undefined
        phone_client_id: string | undefined
      }
    | undefined
  /** Origins in the operator's network that customers' settings may use. */
  egressAllow: readonly string[]
  /** The mail server through which alerts go, and who they come from. */
  smtp: (SmtpServer & { from: string }) | undefined
  clamd: { host: string; port: number } | { socket: string } | undefined
  media: { ffmpeg: string | undefined; ffprobe: string | undefined }
  /** File of the service account that wakes phones through Firebase Cloud Messaging. */
  fcmServiceAccount: string | undefined
  /** Where phones send verification codes, as text messages. */
  smsGatewayNumber: string | undefined
  metricsToken: string | undefined
  /** Whether spans are sent to a collector (OpenTelemetry). */
  hasTraces: boolean
  /** File of the root certificates (PEM) for key attestation of phones. */
  attestationRoots: string | undefined
  /** Where a process without an API says how it is; without a port: 4001, or any free one where that is taken. */
  status: { port: number | undefined; host: string }
  /** Bytes that uploads leave free on the disks of the installation. */
  diskReserve: number
  /** Days without a sign of life after which a phone is deactivated. */
  deviceInactiveDays: number
  rates: Rates & {
    /** Each phone, by the payloads that it announces. */
    items: Rate | null
    /** Limit of each kind of report per phone. */
    reports: Rate | null
  }
  /** What may have been meant otherwise, as sentences. */
  warnings: readonly string[]
}

/** All faults of a configuration at once. */
export class ConfigError extends Error {
  readonly faults: readonly string[]
  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.map((each) => `  ${each}`).join('\n')}`,
    )
    this.name = 'ConfigError'
    this.faults = faults
  }
}

/** Reads the configuration from the environment and the command line (`--services=api,worker`). Throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv, argv: readonly string[] = []): Config {
  const read = readSecretFiles(env)
  const present = Object.fromEntries(
    Object.entries(read.env).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = Environment.safeParse(present)
  const { services, faults } = readArguments(argv)
  faults.push(...read.faults, ...unknownSettings(Object.keys(present)))
  if (!parsed.success) {
    faults.push(...parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`))
    throw new ConfigError(faults)
  }
  const e = parsed.data
  faults.push(...contradictions(e, services))
  if (faults.length > 0) throw new ConfigError(faults)
  return {
    ...connectionsOf(e),
    ...addressesOf(e),
    // The demo never fills an installation that signs its people in elsewhere.
    demo: e.DEMO && e.OIDC_ISSUER === undefined,
    dataDir: resolve(e.CUSTODIA_DATA),
    logLevel: e.LOG_LEVEL,
    services,
    transfers: { ...e.TRANSFER_PROGRESS, runSeconds: e.TRANSFER_RUN_HOURS * 3600 },
    migrations: { ...e.MIGRATION_PROGRESS, runSeconds: e.MIGRATION_RUN_HOURS * 3600 },
    fcmServiceAccount: e.FCM_SERVICE_ACCOUNT,
    smsGatewayNumber: e.SMS_GATEWAY_NUMBER,
    metricsToken: e.METRICS_TOKEN,
    hasTraces: e.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    attestationRoots: e.ATTESTATION_ROOTS && resolve(e.ATTESTATION_ROOTS),
    maps: e.MAPS,
    monitoring: e.MONITORING,
    homePage: e.HOME_PAGE,
    status: { port: e.STATUS_PORT, host: e.STATUS_HOST },
    diskReserve: e.DISK_RESERVE_MB * 1_000_000,
    deviceInactiveDays: e.DEVICE_INACTIVE_DAYS,
    warnings: settingWarnings(Object.keys(present)),
    rates: {
      portal: e.RATE_PORTAL,
      device: e.RATE_DEVICE,
      items: e.RATE_DEVICE_ITEMS,
      reports: e.RATE_DEVICE_REPORTS,
      public: e.RATE_PUBLIC,
    },
  }
}

type Settings = z.output<typeof Environment>

/** Where the server listens, and under which addresses it is reached. */
function addressesOf(e: Settings) {
  const publicUrl = (e.PUBLIC_URL ?? defaultOrigin(e.HOST, e.PORT)).replace(/\/$/, '')
  return {
    port: e.PORT,
    host: e.HOST,
    publicUrl,
    adminPortalUrl: e.ADMIN_PORTAL_URL ?? publicUrl,
    clientPortalUrl: e.CLIENT_PORTAL_URL ?? publicUrl,
    trustProxy: e.TRUST_PROXY,
  }
}

/** What the server connects to. */
function connectionsOf(
  e: Settings,
): Pick<
  Config,
  'database' | 'walArchive' | 's3' | 'transferS3' | 'oidc' | 'egressAllow' | 'smtp' | 'clamd' | 'media'
> {
  return {
    database: {
      url: e.DATABASE_URL,
      pool: e.DATABASE_POOL,
      replica: e.DATABASE_REPLICA_URL,
      backup: e.BACKUP_DATABASE_URL,
      isUnsafe: e.DATABASE_UNSAFE,
    },
    walArchive: e.WAL_ARCHIVE && resolve(e.WAL_ARCHIVE),
    s3: e.S3_BUCKET
      ? {
          bucket: e.S3_BUCKET,
          endpoint: e.S3_ENDPOINT,
          region: e.S3_REGION,
          accessKeyId: e.S3_ACCESS_KEY_ID,
          secretAccessKey: e.S3_SECRET_ACCESS_KEY,
          forcePathStyle: e.S3_PATH_STYLE,
        }
      : undefined,
    transferS3: {
      endpoint: e.TRANSFER_S3_ENDPOINT,
      accessKeyId: e.TRANSFER_AWS_ACCESS_KEY_ID,
      secretAccessKey: e.TRANSFER_AWS_SECRET_ACCESS_KEY,
      principal: e.TRANSFER_AWS_PRINCIPAL,
    },
    oidc: e.OIDC_ISSUER
      ? {
          issuer: e.OIDC_ISSUER,
          client_id: e.OIDC_CLIENT_ID ?? '',
          client_secret: e.OIDC_CLIENT_SECRET,
          phone_client_id: e.OIDC_PHONE_CLIENT_ID,
        }
      : undefined,
    egressAllow: e.EGRESS_ALLOW,
    smtp: smtpOf(e),
    clamd: e.CLAMD_SOCKET
      ? { socket: e.CLAMD_SOCKET }
      : e.CLAMD_HOST
        ? { host: e.CLAMD_HOST, port: e.CLAMD_PORT }
        : undefined,
    media: { ffmpeg: e.FFMPEG_PATH, ffprobe: e.FFPROBE_PATH },
  }
}

function smtpOf({ SMTP_URL, SMTP_FROM }: Settings): Config['smtp'] {
  const server = SMTP_URL === undefined ? undefined : readSmtp(SMTP_URL)
  return server && SMTP_FROM !== undefined ? { ...server, from: SMTP_FROM } : undefined
}

/** The configuration with the port that the system chose for `PORT=0`, also in origins that no setting names. */
export function withPort(config: Config, port: number): Config {
  const unknown = defaultOrigin(config.host, config.port)
  const known = (origin: string) => (origin === unknown ? defaultOrigin(config.host, port) : origin)
  return {
    ...config,
    port,
    publicUrl: known(config.publicUrl),
    adminPortalUrl: known(config.adminPortalUrl),
    clientPortalUrl: known(config.clientPortalUrl),
  }
}

const WILDCARDS = ['0.0.0.0', '::']

const defaultOrigin = (host: string, port: number): string =>
  `http://${WILDCARDS.includes(host) ? 'localhost' : hostInUrl(host)}:${port}`

/** A host as it appears in an address: IPv6 in brackets. */
export const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/** Names of all settings. */
export const SETTINGS = Object.keys(Environment.shape)

/** Unknown names that look like settings of this server. */
function unknownSettings(names: readonly string[]): string[] {
  return names
    .filter((name) => name.startsWith('CUSTODIA_') && !SETTINGS.includes(name))
    .map((name) => `${name}: no setting has this name${didYouMean(name)}`)
}

/** Names that look like slips of the finger; they may be another program's. */
function settingWarnings(names: readonly string[]): string[] {
  return names
    .filter((name) => !SETTINGS.includes(name) && meant(name, SETTINGS) !== undefined)
    .map((name) => `${name} is set, which nothing reads${didYouMean(name)}`)
}

function didYouMean(name: string): string {
  const other = meant(name, SETTINGS)
  return other === undefined ? '.' : `; did you mean ${other}?`
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

function readArguments(argv: readonly string[]): { services: readonly ServiceName[]; faults: string[] } {
  const faults: string[] = []
  let services: readonly ServiceName[] = SERVICES
  for (const argument of argv) {
    const [, list] = /^--services=(.*)$/.exec(argument) ?? []
    const names = list === 'all' ? SERVICES : (list?.split(',') ?? [])
    if (list !== undefined && names.every((name) => SERVICES.includes(name as ServiceName))) {
      services = names as ServiceName[]
    } else {
      faults.push(`${argument}: only --services=api, worker, or all is known`)
    }
  }
  return { services, faults }
}

function contradictions(e: z.output<typeof Environment>, services: readonly ServiceName[]): string[] {
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
  if (!e.OIDC_ISSUER && (e.OIDC_CLIENT_ID || e.OIDC_CLIENT_SECRET || e.OIDC_PHONE_CLIENT_ID))
    faults.push('OIDC_ISSUER: is missing')
  if ((e.SMTP_URL === undefined) !== (e.SMTP_FROM === undefined))
    faults.push('SMTP_URL, SMTP_FROM: set both or neither')
  if (e.CLAMD_SOCKET && e.CLAMD_HOST) faults.push('CLAMD_SOCKET, CLAMD_HOST: set one of them')
  return faults
}
