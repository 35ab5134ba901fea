import type { BoundSocket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from './config.ts'
import type { AuditLog } from './http/audit.ts'
import type { Cursors } from './http/cursor.ts'
import type { Database } from './ports/database/pool.ts'
import type { DiskSpace } from './ports/disk-space.ts'
import type { Egress } from './ports/egress/port.ts'
import type { Jobs } from './ports/jobs.ts'
import type { KeyProvider } from './ports/keys/port.ts'
import type { Mailer } from './ports/mail/port.ts'
import type { MediaTools } from './ports/media/index.ts'
import type { ObjectStore } from './ports/objects/port.ts'
import type { Push } from './ports/push/port.ts'
import type { Scanner } from './ports/scanner/port.ts'

/** The shared services of the server. Built once in main.ts (or by a test), never global. */
export interface AppContext {
  readonly config: Config
  /** Bound to the port of the API, so that `config` names it before the server listens; undefined without an API. */
  readonly socket: BoundSocket | undefined
  readonly db: Database
  readonly objects: ObjectStore
  readonly keys: KeyProvider
  /** The room that is left where this installation writes. */
  readonly space: DiskSpace
  readonly scanner: Scanner
  /** Wakes devices that sleep, where the operator has set that up. */
  readonly push: Push | undefined
  /** Sends mails, where the operator has set that up. */
  readonly mail: Mailer | undefined
  /** ffmpeg, when the machine has it. */
  readonly media: MediaTools | undefined
  /** The only way to addresses that customers type. */
  readonly egress: Egress
  readonly jobs: Jobs
  readonly audit: AuditLog
  readonly cursors: Cursors
  readonly log: FastifyBaseLogger
  /** Epoch seconds. */
  readonly now: () => number
}
