import type pg from 'pg'
import type { AppContext } from '../app-context.ts'
import { type Queryable, Statements } from '../ports/database/lease.ts'

/**
 * The archive's invariants. Operators search for the name; the sentence explains it. `custodia verify` prints both.
 */
export const CHECKS = {
  state_impossible: 'is in a state that a payload of its kind cannot have',
  history_broken: 'has a history that is no way through the table of states to its current one',
  envelope_missing: 'lacks what its device announced',
  document_missing: 'lacks the document that its state needs',
  document_unexpected: 'has a document although its state has none',
  document_wrong: 'is shown otherwise than its device sealed it',
  person_wrong: 'belongs to a person who did not hold its device at its time',
  numbers_wrong: 'is found by other phone numbers than its document names',
  search_wrong: 'is found by other words or digits than its document names',
  words_wrong: 'is found by words that were not read of it, or its words were never read',
  thread_wrong: 'stands in another conversation than its document names, or is counted otherwise there',
  copy_wrong: 'is marked as a message brought again and is linked to none, or the other way round',
  change_wrong: 'has another place among the changes than its own time and group',
  receipt_wrong: 'has no receipt and is missing among the payloads without one, or is in another place there',
  removed_wrong:
    'is deleted or destroyed and missing in the lists of these states, or has another place there',
  comment_wrong: 'has a comment elsewhere, of another author, or without key or versions',
  review_wrong: 'is kept as heard or marked otherwise than its audit and its marks say',
  hold_wrong:
    'is a legal hold that says otherwise than its events, its matters or the audit log, or has events that do not follow each other',
  proposal_wrong:
    'was decided by one person where two had to, names a second person who confirmed nothing, or is not there as the audit log has it',
  request_wrong: 'is a data subject request that names another person than its subject, or has wrong times',
  hold_broken: 'was deleted or destroyed while a legal hold kept it',
  destruction_broken: 'was destroyed otherwise than the ledger says, or can still be read after it',
  ledger_wrong:
    'differs between the destruction ledger in the keystore and the database, or that ledger is incomplete',
  certificate_wrong:
    'is a certificate of destruction that does not verify, or differs from the ledger in the keystore or from its run',
  retention_wrong:
    'is a retention policy that does not follow the one before, lets a legal minimum fall, or has other days than the audit log',
  retention_early:
    'was deleted or destroyed by retention before any policy let it go, or without a word in its trail',
  playhead_wrong: 'has a playback position although no user can play it',
  export_wrong: 'is an export that contradicts its parts, or is kept past its time',
  transfer_wrong:
    'is a transfer that says otherwise than its items, or an item that says otherwise than its attempts, its trail and its entry under its day',
  migration_wrong:
    'is a migration that says otherwise than its results, or what it imported is other than its source was',
  reconciliation_wrong:
    'is a reconciliation of transfers that does not verify, follows no version before it, or tells of deliveries that were not entered',
  work_missing: 'still has a way to go, and no sweep knows of it',
  row_doubled: 'stands in the database more than once',
  row_orphaned: 'has rows that belong to no payload of this client',
  counts_wrong: 'is counted otherwise than there are payloads',
  metrics_wrong: 'is counted otherwise in the metrics of devices than there are payloads',
  fleet_wrong: 'is counted otherwise for dashboards than there are devices and device users',
  licenses_wrong: 'is a device that is granted otherwise than its person',
  holder_wrong: 'is a device with another holder or group than its history says',
  number_doubled: 'is a device with a number that another one had at the same time, with neither marked',
  report_wrong: 'is a response to or a report of a device that contradicts itself or has no owner',
  capture_wrong: 'is a gap in capture that overlaps another one',
  enrolment_wrong: 'is an enrolment that counts other devices than came, or was used when over',
  audit_entry_wrong:
    'has a record of an act that the audit log lacks, or attributes to another person or act',
  sealed_log_wrong:
    'is an entry or checkpoint of the sealed log that was changed, removed, inserted or moved, or that another one contradicts',
  object_row_missing: 'is processed, and no row says where its data lies',
  object_row_wrong: 'has a row of an object that contradicts the announcement or the state',
  object_missing: 'lacks an object in the store',
  object_size: 'has an object of another size in the store',
  object_orphaned: 'is an object that belongs to no payload',
  object_altered: 'has stored bytes that are not the ones announced',
  object_unreadable: 'has an object that does not open: altered, or under another key',
  content_wrong: 'has an object that opens to other bytes than when it was stored',
  bucket_wrong: 'is a setting of the bucket that makes a promise untrue',
  lock_broken: 'is the canary of a bucket, whose lock could be broken',
  upload_left: 'is what an interrupted write left, and no sweep removed',
  key_missing: 'has data without its wrapped key, or the key of destroyed data',
  key_lost: 'needs a key that the key provider does not have',
  key_refused:
    'has a wrapped key that does not open, or not for this payload; or is a signing key without its public half',
  key_wrong: 'has a wrapped key that opens, and does not open the data',
  epoch_old:
    'keeps an epoch key for longer than eight days: what was forgotten since could be opened with it',
  slot_unwiped: 'has slots that were forgotten and hold something all the same',
  metadata_unreadable: 'has sealed metadata that do not open',
  protection_missing: 'is a safeguard of the database that is not there as the migrations made it',
} as const satisfies Record<string, string>
export type Check = keyof typeof CHECKS

export interface Finding {
  check: Check
  /** The client; null: the installation. */
  client: string | null
  /** The payload, object or other subject of the finding. */
  subject: string
  /** What exactly, without contents of payloads. */
  detail: string
}

/** Findings kept in full per check and client; further ones are only counted. */
export const KEPT = 1000

/** Gathers findings, and how many there were of each kind. */
export class Findings {
  readonly list: Finding[] = []
  readonly #counts = new Map<string, { check: Check; client: string | null; count: number }>()

  /** Adds findings of one kind; `count` when there are more than are named. */
  add(
    check: Check,
    client: string | null,
    found: readonly Omit<Finding, 'check' | 'client'>[],
    count = found.length,
  ): void {
    if (count === 0) return
    const key = JSON.stringify([check, client])
    const known = this.#counts.get(key) ?? { check, client, count: 0 }
    const room = KEPT - Math.min(known.count, KEPT)
    for (const { subject, detail } of found.slice(0, room)) this.list.push({ check, client, subject, detail })
    this.#counts.set(key, { ...known, count: known.count + count })
  }

  /** How often each check found something, per client. */
  get counts(): { check: Check; client: string | null; count: number }[] {
    return [...this.#counts.values()]
  }
}

/** What is verified, and with which parts. */
export interface Scope {
  ctx: Pick<AppContext, 'db' | 'objects' | 'keys' | 'now' | 'log'>
  /** A connection of one's own. */
  session: Session
  /** Another one, which holds the list of objects while it is compared. */
  listing: Session
  findings: Findings
  checked: CheckedCounts
  /** Epoch seconds: only payloads that changed since; null: all. */
  since: number | null
  signal?: AbortSignal | undefined
}

/** How much was looked at. */
export interface CheckedCounts {
  clients: number
  payloads: number
  /** In the store, whatever belongs to them. */
  objects: number
  /** Objects opened, and bytes as they lie in the store. */
  opened: number
  opened_bytes: number
  /** Objects opened of each client, by its name. */
  opened_of?: Record<string, number>
  /** Keys that no row names, for more than eight days; absent: not everything was looked at. */
  keys_unnamed?: number
}

export interface Client {
  client_id: number
  client: string
}

/** A connection that sees one tenant after the other; statements may take as long as the archive needs. */
export class Session extends Statements implements Queryable {
  /** Zero: none yet. */
  client_id = 0
  readonly #connection: pg.ClientBase
  #last: Promise<unknown> = Promise.resolve()

  constructor(connection: pg.ClientBase) {
    super()
    this.#connection = connection
  }

  /** One statement after another, however many are sent at a time. */
  async query<Row>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<{ rows: Row[]; rowCount: number }> {
    const result = this.#last.then(() => this.#connection.query<Row & pg.QueryResultRow>(text, [...values]))
    this.#last = result.catch(() => undefined)
    const { rows, rowCount } = await result
    return { rows, rowCount: rowCount ?? 0 }
  }

  /** What follows concerns this client, also where row-level security is forced on the owner. */
  async enter({ client_id }: Client): Promise<void> {
    this.client_id = client_id
    await this.query(`select set_config('custodia.client_id', $1, false)`, [String(client_id)])
  }
}

/** Each statement has one snapshot, and rows of one transaction appear together, so running work looks consistent. */
export interface RowCheck {
  check: Check
  /** Rows `subject`, `detail`, for $1 client_id and $2 since (null: all). */
  sql: string
  /** What is right depends on the hour: $3 is now. */
  hasNow?: true
}

/**
 * Rows of a statement, page by page: `valuesAfter` makes its parameters, which begin after the last row of the page
 * before. `size` is the limit of the statement.
 */
export async function* pages<Row>(
  { session, signal }: Pick<Scope, 'session' | 'signal'>,
  sql: string,
  size: number,
  valuesAfter: (last: Row | undefined) => readonly unknown[],
): AsyncGenerator<Row[]> {
  let last: Row | undefined
  do {
    signal?.throwIfAborted()
    const rows = await session.rows<Row>(sql, valuesAfter(last))
    if (rows.length > 0) yield rows
    last = rows.length < size ? undefined : rows.at(-1)
  } while (last !== undefined)
}
