import type { SettingName } from './config.ts'

/** What a setting means, for docs/settings.md. */
export interface SettingText {
  /** In place of the default of the schema, where that says too little. */
  default?: string
  meaning: string
}

/** Every setting of the server, by topic. `node scripts/settings.ts` writes docs/settings.md from it. */
export const SETTING_TEXTS: Readonly<Record<string, Partial<Record<SettingName, SettingText>>>> = {
  Server: {
    PORT: {
      meaning:
        'Port of the API. `0` takes any free port; standard error names it. Several processes then need `PUBLIC_URL`.',
    },
    HOST: { meaning: 'Address on which the server listens.' },
    CUSTODIA_DATA: {
      meaning:
        'Folder with the keys, and with database and objects where no outside service is named. All processes share its keys.',
    },
    PUBLIC_URL: {
      default: '`http://HOST:PORT`',
      meaning:
        'Origin under which browsers reach the portal. With `https:` cookies are `Secure`, and HSTS is sent.',
    },
    ADMIN_PORTAL_URL: {
      default: '`PUBLIC_URL`',
      meaning: 'Origin of the provider’s portal, where it differs.',
    },
    CLIENT_PORTAL_URL: {
      default: '`PUBLIC_URL`',
      meaning: 'Origin of the clients’ portal, where it differs. Devices connect to it.',
    },
    TRUST_PROXY: {
      meaning: 'Number of proxies in front that set `X-Forwarded-For`. Addresses beyond are ignored.',
    },
    HOME_PAGE: { meaning: 'Path of the portal that its own address leads to, such as `/sign-in`.' },
    STATUS_PORT: {
      default: '4001, or a free port',
      meaning:
        'Port of the health checks and `/metrics` in a process without an API. Standard error names it.',
    },
    STATUS_HOST: { meaning: 'Address for `STATUS_PORT`.' },
    DEMO: { meaning: 'Demo clients and people. Ignored when `OIDC_ISSUER` is set.' },
    LOG_LEVEL: {
      default: '`info`; `warn` under `npm start`',
      meaning: '`fatal`, `error`, `warn`, `info` or `debug`.',
    },
    OTEL_EXPORTER_OTLP_ENDPOINT: {
      default: 'no traces',
      meaning:
        'Address of an OpenTelemetry collector (OTLP over HTTP) for spans of requests, jobs, statements and S3 calls. Other `OTEL_…` settings of the exporter work as well.',
    },
    METRICS_TOKEN: {
      meaning: 'Bearer token for `GET /metrics`. Without it only this machine may read them.',
    },
  },
  Database: {
    DATABASE_URL: {
      default: 'embedded',
      meaning: '`postgres://…` of PostgreSQL 15 or newer. The role owns the database and may create roles.',
    },
    DATABASE_POOL: {
      meaning: 'Connections of a process for work of clients. It opens half as many again for the rest.',
    },
    DATABASE_REPLICA_URL: {
      meaning:
        'A streaming replica for lists and pages; see [Reading at a replica](operations.md#reading-at-a-replica).',
    },
    BACKUP_DATABASE_URL: {
      meaning:
        'The same database as a role that reads the rows of all clients. `custodia backup` alone uses it; see [Backup](backup.md).',
    },
    DATABASE_UNSAFE: {
      meaning:
        'Accepts a server with `fsync` or `full_page_writes` off, which loses evidence in a power cut. For tests.',
    },
    WAL_ARCHIVE: {
      meaning:
        'Folder on another disk into which the embedded database copies its write-ahead log; see [Backup](backup.md#the-embedded-database).',
    },
  },
  Objects: {
    S3_BUCKET: {
      default: 'files in `CUSTODIA_DATA`',
      meaning: 'Bucket for recordings and what is made of them.',
    },
    S3_ENDPOINT: { default: 'AWS', meaning: 'Address of another service with the S3 protocol.' },
    S3_REGION: { meaning: 'Region of the bucket.' },
    S3_ACCESS_KEY_ID: {
      default: 'the chain of the AWS SDK',
      meaning: 'Access key. The chain is environment, profile, then role of the instance.',
    },
    S3_SECRET_ACCESS_KEY: { meaning: 'Secret of the access key.' },
    S3_PATH_STYLE: { meaning: '`false` for a bucket in the host name.' },
    DISK_RESERVE_MB: {
      meaning:
        'Megabytes that uploads leave free on disks of objects and database. An alert comes at four times as much.',
    },
  },
  'Identity provider': {
    OIDC_ISSUER: {
      default: 'embedded',
      meaning: 'Issuer of the identity provider; see [Identity providers](identity-providers.md).',
    },
    OIDC_CLIENT_ID: {
      meaning: 'Client id of the portal there. Its redirect address is `PUBLIC_URL/sign-in`.',
    },
    OIDC_CLIENT_SECRET: { meaning: 'Secret of that client, where it has one.' },
    OIDC_PHONE_CLIENT_ID: {
      meaning:
        'Public client of the app on devices: people then sign in there ([sign-in](protocol-enrolment.md#sign-in)).',
    },
    EGRESS_ALLOW: {
      meaning:
        'Origins in your network that the server may ask although a client names them, separated by commas: `https://idp.bank.internal`, `sftp://files.bank.internal:22`.',
    },
  },
  Media: {
    CLAMD_HOST: {
      meaning: 'Host of the malware scanner (clamd). Its `StreamMaxLength` must cover the largest payload.',
    },
    CLAMD_PORT: { meaning: 'Port of the malware scanner.' },
    CLAMD_SOCKET: { meaning: 'Socket of the malware scanner, in place of host and port.' },
    FFMPEG_PATH: { default: 'found on `PATH`', meaning: 'Program that converts media.' },
    FFPROBE_PATH: { default: 'found on `PATH`', meaning: 'Program that examines media.' },
  },
  Transfers: {
    TRANSFER_S3_ENDPOINT: {
      default: 'AWS',
      meaning:
        'Another service with S3 and STS for the buckets of clients ([transfer-targets.md](transfer-targets.md#s3)).',
    },
    TRANSFER_AWS_ACCESS_KEY_ID: {
      default: 'the chain of the AWS SDK',
      meaning: 'Identity that assumes the roles of clients. It needs `sts:AssumeRole` and nothing else.',
    },
    TRANSFER_AWS_SECRET_ACCESS_KEY: { meaning: 'Secret of that identity.' },
    TRANSFER_AWS_PRINCIPAL: {
      meaning: 'ARN of that identity, which the portal shows for the clients’ trust policies.',
    },
    TRANSFER_PROGRESS: {
      default: '`64/120`',
      meaning:
        'KiB per second that a target takes at least, and the seconds over which they are counted. A slower run ends.',
    },
    TRANSFER_RUN_HOURS: {
      meaning: 'Hours after which a transfer run ends. Its remaining items can be sent again.',
    },
    MIGRATION_PROGRESS: {
      default: '`64/600`',
      meaning:
        'KiB per second that a migration reads at least, and the seconds over which they are counted. A slower run ends.',
    },
    MIGRATION_RUN_HOURS: {
      meaning: 'Hours after which a migration run ends. It can be retried.',
    },
  },
  'Alerts and messages': {
    SMTP_URL: {
      meaning:
        'Mail server for alerts ([alerts.md](alerts.md)): `smtps://user:password@mail.example`, or `smtp://…` with STARTTLS. `?tls=never` is for a server in your network without a password.',
    },
    SMTP_FROM: { meaning: 'Sender of these mails.' },
    SMS_GATEWAY_NUMBER: {
      meaning: 'Number of the message gateway, to which devices send verification codes.',
    },
    FCM_SERVICE_ACCOUNT: {
      meaning:
        'JSON file of a Google service account for Firebase Cloud Messaging, which wakes sleeping devices.',
    },
  },
  Devices: {
    DEVICE_INACTIVE_DAYS: {
      meaning: 'Days without a request after which a device is deactivated, until it authenticates again.',
    },
    ATTESTATION_ROOTS: {
      meaning: 'File of certificates (PEM) up to which devices prove their hardware, such as Google’s roots.',
    },
  },
  Pages: {
    MAPS: {
      default: 'a map without streets',
      meaning:
        'Maps with streets, JSON by client; `*` stands for all others: `{"*": {"tiles": "https://maps.example/{z}/{x}/{y}.png?key={map_key}", "map_key": "…", "attribution": "© …"}, "acme": null}`. The map provider learns which places a user looks at.',
    },
    MONITORING: {
      meaning:
        'Real-user monitoring (AWS CloudWatch RUM), JSON by client: `{"*": {"application_id": "…", "region": "eu-west-2", "config": {…}}, "acme": null}`. `config` is that of `aws-rum-web`.',
    },
  },
  'Rate limits': {
    RATE_PORTAL: {
      meaning:
        'Calls of each portal user and client app: per second on average / at once. `off` for no limit.',
    },
    RATE_DEVICE: { meaning: 'The same for each device.' },
    RATE_DEVICE_ITEMS: { meaning: 'Payloads that each device announces.' },
    RATE_DEVICE_REPORTS: { meaning: 'Other records that each device reports, of each kind.' },
    RATE_PUBLIC: { meaning: 'Calls of each network address that need no sign-in, or fail at it.' },
  },
}
