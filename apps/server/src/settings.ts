import type { SettingName } from './environment.ts'

/** What a setting means, for docs/settings.md. */
interface SettingText {
  /** In place of the default of the schema, where that says too little. */
  default?: string
  meaning: string
}

/** Every setting of the server, by topic. `node scripts/settings.ts` writes docs/settings.md from it. */
export const SETTING_TEXTS: Readonly<Record<string, Partial<Record<SettingName, SettingText>>>> = {
  Server: {
    PORT: { meaning: 'Port of the API. `0` takes a free port, which standard error names.' },
    HOST: { meaning: 'Listening address.' },
    CUSTODIA_DATA: { meaning: 'Folder of keys, embedded database and objects.' },
    PUBLIC_URL: {
      default: '`http://HOST:PORT`',
      meaning: 'Origin of the portal. `https:` makes cookies `Secure` and sends HSTS.',
    },
    ADMIN_PORTAL_URL: { default: '`PUBLIC_URL`', meaning: 'Origin of the provider’s portal.' },
    CLIENT_PORTAL_URL: {
      default: '`PUBLIC_URL`',
      meaning: 'Origin of the clients’ portal and of the device calls.',
    },
    TRUST_PROXY: { meaning: 'Number of proxies in front that set `X-Forwarded-For`.' },
    HOME_PAGE: { meaning: 'Path that `/` leads to, such as `/sign-in`.' },
    STATUS_PORT: {
      default: '4001, or a free port',
      meaning: 'Port of health checks and `/metrics` in a process without an API.',
    },
    STATUS_HOST: { meaning: 'Address of `STATUS_PORT`.' },
    DEMO: { meaning: 'Demo clients and people. Off with `OIDC_ISSUER`.' },
    DEMO_SCALE: {
      meaning: '`large`: `npm start` adds 20,000 people, 5,000 devices and a year of recordings.',
    },
    LOG_LEVEL: {
      default: '`info`; `warn` under `npm start`',
      meaning: '`fatal`, `error`, `warn`, `info` or `debug`.',
    },
    OTEL_EXPORTER_OTLP_ENDPOINT: {
      default: 'no traces',
      meaning: 'OpenTelemetry collector (OTLP over HTTP) for spans. Other `OTEL_…` settings work as well.',
    },
    METRICS_TOKEN: { meaning: 'Bearer token for `GET /metrics`. Without it only this machine may read it.' },
  },
  Database: {
    DATABASE_URL: {
      default: 'embedded',
      meaning: '`postgres://…` of a role that owns the database and may create roles.',
    },
    DATABASE_POOL: {
      meaning: 'Connections of a process for work of clients; half as many again for the rest.',
    },
    DATABASE_REPLICA_URL: {
      meaning: 'A streaming replica for lists and pages ([ADR 15](adr/0015-reads-at-a-replica.md)).',
    },
    BACKUP_DATABASE_URL: {
      meaning:
        'The database of `DATABASE_URL`, with a role that reads all clients, for [`custodia backup`](backup.md).',
    },
    DATABASE_UNSAFE: { meaning: 'Accepts a server without `fsync` or `full_page_writes`. For tests.' },
    WAL_ARCHIVE: {
      meaning:
        'Folder on another disk for the write-ahead log of the embedded database ([Backup](backup.md)).',
    },
  },
  Objects: {
    S3_BUCKET: { default: 'files in `CUSTODIA_DATA`', meaning: 'Bucket for recordings and renditions.' },
    S3_ENDPOINT: { default: 'AWS', meaning: 'Address of another S3 service.' },
    S3_REGION: { meaning: 'Region of the bucket.' },
    S3_ACCESS_KEY_ID: { default: 'the chain of the AWS SDK', meaning: 'Access key.' },
    S3_SECRET_ACCESS_KEY: { meaning: 'Its secret.' },
    S3_PATH_STYLE: { meaning: '`false` for a bucket in the host name.' },
    S3_OBJECT_LOCK: { meaning: 'Locks recordings in the bucket ([Object Lock](operations.md#object-lock)).' },
    DISK_RESERVE_MB: {
      meaning:
        'Megabytes that uploads leave free on each disk. An alert reports less than four times as much.',
    },
  },
  'Identity provider': {
    OIDC_ISSUER: {
      default: 'embedded, for evaluation only',
      meaning: 'Its issuer ([Identity providers](identity-providers.md)).',
    },
    OIDC_CLIENT_ID: { meaning: 'Client id of the portal.' },
    OIDC_CLIENT_SECRET: { meaning: 'Its secret, if any.' },
    OIDC_DEVICE_CLIENT_ID: {
      meaning: 'Public client of the app on devices, for [sign-in](protocol-enrolment.md#sign-in).',
    },
    EGRESS_ALLOW: {
      meaning:
        'Origins in your network that clients may name, separated by commas: `https://idp.bank.internal`, `sftp://files.bank.internal:22`.',
    },
  },
  Media: {
    CLAMD_HOST: {
      meaning: 'Host of clamd, the malware scanner. Its `StreamMaxLength` must cover the largest payload.',
    },
    CLAMD_PORT: { meaning: 'Its port.' },
    CLAMD_SOCKET: { meaning: 'Its socket, in place of host and port.' },
    FFMPEG_PATH: { default: 'found on `PATH`', meaning: 'Program that converts media.' },
    FFPROBE_PATH: { default: 'found on `PATH`', meaning: 'Program that examines media.' },
  },
  Transfers: {
    TRANSFER_S3_ENDPOINT: {
      default: 'AWS',
      meaning: 'Another service with S3 and STS for buckets of clients ([S3](transfers.md#s3)).',
    },
    TRANSFER_AWS_ACCESS_KEY_ID: {
      default: 'the chain of the AWS SDK',
      meaning: 'Identity that assumes clients’ roles; needs only `sts:AssumeRole`.',
    },
    TRANSFER_AWS_SECRET_ACCESS_KEY: { meaning: 'Its secret.' },
    TRANSFER_AWS_PRINCIPAL: { meaning: 'Its ARN, for the clients’ trust policies.' },
    TRANSFER_PROGRESS: {
      default: '`64/120`',
      meaning: 'Minimum KiB per second / seconds of measurement. A slower run ends.',
    },
    TRANSFER_RUN_HOURS: { meaning: 'Hours after which a transfer run ends.' },
    MIGRATION_PROGRESS: { default: '`64/600`', meaning: 'The same for a migration.' },
    MIGRATION_RUN_HOURS: { meaning: 'Hours after which a migration run ends.' },
  },
  'Sealed log': {
    CHECKPOINT_MINUTES: {
      meaning:
        'Minutes between two [checkpoints](evidence.md) that leave the installation. Certificates and exports send one at once.',
    },
    CHECKPOINT_MAIL: {
      default: 'none',
      meaning:
        'Addresses that get checkpoints by e-mail, JSON by client; `*` means all others: `{"acme": ["auditor@bank.example"]}`.',
    },
    TSA_URL: { meaning: 'Time-stamping authority (RFC 3161) that stamps checkpoints.' },
    WITNESS_URL: { meaning: 'Address of a witness (C2SP tlog-witness) that cosigns checkpoints.' },
    WITNESS_KEY: { meaning: 'Its public key, as it states it.' },
  },
  'Alerts and messages': {
    SMTP_URL: {
      meaning:
        'Mail server for [alerts](alerts.md): `smtps://user:password@mail.example`, or `smtp://…` with STARTTLS. `?tls=never` is for a server without a password.',
    },
    SMTP_FROM: { meaning: 'Sender of these mails.' },
    SMS_GATEWAY_NUMBER: { meaning: 'Number of the [message gateway](provider.md#message-gateway).' },
    FCM_SERVICE_ACCOUNT: {
      meaning: 'Service account (JSON file) for Firebase Cloud Messaging, which wakes devices.',
    },
  },
  Devices: {
    DEVICE_INACTIVE_DAYS: { meaning: 'Days without a request after which a device is deactivated.' },
    ATTESTATION_ROOTS: { meaning: 'PEM file of roots for the attestation of device keys.' },
  },
  Pages: {
    MAPS: {
      default: 'a map without streets',
      meaning:
        'Maps with streets, JSON by client; `*` means all others: `{"*": {"tiles": "https://maps.example/{z}/{x}/{y}.png?key={map_key}", "map_key": "…", "attribution": "© …"}, "acme": null}`. Instead of `tiles`, `style` names a MapLibre style, or `pmtiles` a PMTiles file (pictures, or vectors in the Protomaps schema); everything comes from one origin. The service learns which places a user looks at.',
    },
    MONITORING: {
      meaning:
        'Real-user monitoring (AWS CloudWatch RUM), JSON by client: `{"*": {"application_id": "…", "region": "eu-west-2", "config": {…}}, "acme": null}`. `config` is that of `aws-rum-web`.',
    },
  },
  'Rate limits': {
    RATE_PORTAL: { meaning: 'Calls of each portal user and client app: per second / at once, or `off`.' },
    RATE_DEVICE: { meaning: 'The same for each device.' },
    RATE_DEVICE_ITEMS: { meaning: 'Payloads that each device announces.' },
    RATE_DEVICE_REPORTS: { meaning: 'Other records of each device, of each kind.' },
    RATE_PUBLIC: { meaning: 'Calls of each network address without sign-in.' },
  },
}
