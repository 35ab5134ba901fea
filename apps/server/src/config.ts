import { resolve } from 'node:path'
import {
  contradictions,
  Environment,
  SERVICES,
  type ServiceName,
  type Settings,
  unknownSettings,
  type MailsByClient,
} from './environment.ts'
import type { Rate, Rates } from './http/admit.ts'
import type { MapsByClient, MonitoringByClient } from './http/monitoring.ts'
import type { WorkLimits } from './ports/jobs.ts'
import { readSmtp, type SmtpServer } from './ports/mail/read-smtp.ts'
import { readSecretFiles } from './secret-files.ts'

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
  /** The demo also has thousands of people, devices and recordings. */
  isDemoLarge: boolean
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
        /** Whether originals are locked with Object Lock. */
        hasLock: boolean
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
        device_client_id: string | undefined
      }
    | undefined
  /** Origins in the operator's network that customers' settings may use. */
  egressAllow: readonly string[]
  /** The mail server through which alerts go, and who they come from. */
  smtp: (SmtpServer & { from: string }) | undefined
  clamd: { host: string; port: number } | { socket: string } | undefined
  media: { ffmpeg: string | undefined; ffprobe: string | undefined }
  /** File of the service account that wakes devices through Firebase Cloud Messaging. */
  fcmServiceAccount: string | undefined
  /** Where devices send verification codes, as text messages. */
  smsGatewayNumber: string | undefined
  /** Least seconds between two checkpoints of a client that go to the same party outside. */
  checkpointSeconds: number
  /** Addresses that checkpoints are mailed to, by client. */
  checkpointMails: MailsByClient
  /** Time-stamping authority (RFC 3161) for checkpoints. */
  timeStampUrl: string | undefined
  /** Witness that cosigns checkpoints. */
  witness: { url: string; key: string } | undefined
  metricsToken: string | undefined
  /** Whether spans are sent to a collector (OpenTelemetry). */
  hasTraces: boolean
  /** File of the root certificates (PEM) for key attestation of devices. */
  attestationRoots: string | undefined
  /** Where a process without an API says how it is; without a port: 4001, or any free one where that is taken. */
  status: { port: number | undefined; host: string }
  /** Bytes that uploads leave free on the disks of the installation. */
  diskReserve: number
  /** Days without a sign of life after which a device is deactivated. */
  deviceInactiveDays: number
  rates: Rates & {
    /** Each device, by the payloads that it announces. */
    items: Rate | null
    /** Limit of each kind of report per device. */
    reports: Rate | null
  }
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
    ...getConnections(e),
    ...getAddresses(e),
    // The demo never fills an installation that signs its people in elsewhere.
    demo: e.DEMO && e.OIDC_ISSUER === undefined,
    isDemoLarge: e.DEMO_SCALE === 'large',
    dataDir: resolve(e.CUSTODIA_DATA),
    logLevel: e.LOG_LEVEL,
    services,
    transfers: { ...e.TRANSFER_PROGRESS, runSeconds: e.TRANSFER_RUN_HOURS * 3600 },
    migrations: { ...e.MIGRATION_PROGRESS, runSeconds: e.MIGRATION_RUN_HOURS * 3600 },
    fcmServiceAccount: e.FCM_SERVICE_ACCOUNT,
    smsGatewayNumber: e.SMS_GATEWAY_NUMBER,
    checkpointSeconds: e.CHECKPOINT_MINUTES * 60,
    checkpointMails: e.CHECKPOINT_MAIL,
    timeStampUrl: e.TSA_URL,
    witness: e.WITNESS_URL && e.WITNESS_KEY ? { url: e.WITNESS_URL, key: e.WITNESS_KEY } : undefined,
    metricsToken: e.METRICS_TOKEN,
    hasTraces: e.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    attestationRoots: e.ATTESTATION_ROOTS && resolve(e.ATTESTATION_ROOTS),
    maps: e.MAPS,
    monitoring: e.MONITORING,
    homePage: e.HOME_PAGE,
    status: { port: e.STATUS_PORT, host: e.STATUS_HOST },
    diskReserve: e.DISK_RESERVE_MB * 1_000_000,
    deviceInactiveDays: e.DEVICE_INACTIVE_DAYS,
    rates: {
      portal: e.RATE_PORTAL,
      device: e.RATE_DEVICE,
      items: e.RATE_DEVICE_ITEMS,
      reports: e.RATE_DEVICE_REPORTS,
      public: e.RATE_PUBLIC,
    },
  }
}

/** Where the server listens, and under which addresses it is reached. */
function getAddresses(e: Settings) {
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
function getConnections(
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
          hasLock: e.S3_OBJECT_LOCK,
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
          device_client_id: e.OIDC_DEVICE_CLIENT_ID,
        }
      : undefined,
    egressAllow: e.EGRESS_ALLOW,
    smtp: getSmtp(e),
    clamd: e.CLAMD_SOCKET
      ? { socket: e.CLAMD_SOCKET }
      : e.CLAMD_HOST
        ? { host: e.CLAMD_HOST, port: e.CLAMD_PORT }
        : undefined,
    media: { ffmpeg: e.FFMPEG_PATH, ffprobe: e.FFPROBE_PATH },
  }
}

function getSmtp({ SMTP_URL, SMTP_FROM }: Settings): Config['smtp'] {
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
