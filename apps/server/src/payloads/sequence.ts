import { createHash, type KeyObject } from 'node:crypto'
import {
  canonical,
  CAPTURE_STATEMENT_FORMAT,
  CaptureStatement,
  DAY,
  Sequence,
  SEQUENCE_GAP_LIMIT,
  STATEMENTS_LISTED,
} from '@custodia/contract'
import { utcDay } from '@custodia/domain'
import type { AppContext } from '../app-context.ts'
import { listClients } from '../clients/store.ts'
import { deviceNames } from '../device-records/names-store.ts'
import type { Handlers, PortalContext } from '../http/context.ts'
import { newId } from '../http/new-id.ts'
import { Problem } from '../http/problem.ts'
import { periodicJob } from '../jobs/kind.ts'
import { checkSigned, type SignedKind } from '../ports/keys/signed-file.ts'
import { openSealedMetadata } from './sealed-metadata-store.ts'
import {
  findStatement,
  findUnopened,
  insertStatement,
  listStatements,
  type QueuedPlace,
  readCompleteness,
} from './sequence-store.ts'

/** Announced payloads whose metadata a statement opens. */
const OPENED = 10_000

type Parts = Pick<AppContext, 'db' | 'keys' | 'log' | 'now'>

/** Places of announced payloads, whose metadata only the server can open. */
async function findQueued(
  { db, keys, log }: Parts,
  client_id: number,
  before: number,
): Promise<QueuedPlace[]> {
  const queued: QueuedPlace[] = []
  for (const sealed of await db.read(client_id, (q) => findUnopened(q, { before, limit: OPENED }))) {
    try {
      const { sequence } = (await openSealedMetadata({ keys }, sealed)) as { sequence?: unknown }
      // Not validated before processing, which refuses an invalid one.
      const { data } = Sequence.safeParse(sequence)
      if (data) queued.push({ ...data, payload_id: sealed.payload_id })
    } catch (error) {
      // Processing reports it. Its number counts as one that never arrived.
      log.debug({ err: error }, 'the metadata of an announced payload cannot be opened')
    }
  }
  return queued
}

/**
 * Signs what devices recorded until the end of yesterday (UTC) and what of it the archive has, once. Makes no statement
 * for an account without numbered recordings.
 */
export async function stateCompleteness(
  ctx: Parts,
  { client_id, client }: { client_id: number; client: string },
): Promise<void> {
  const before = utcDay(ctx.now())
  const [former] = await ctx.db.read(client_id, (q) => listStatements(q, 1))
  if (former && former.day >= before - DAY) return
  // First what is queued: what is processed meanwhile was noted after `before` and not counted.
  const queued = await findQueued(ctx, client_id, before)
  const { gaps, ...figures } = await ctx.db.read(client_id, (q) =>
    readCompleteness(q, queued, { before, limit: SEQUENCE_GAP_LIMIT }),
  )
  if (figures.recorded === 0) return
  const head = { statement_reference: newId(), day: before - DAY, issued_at: ctx.now(), ...figures }
  const statement: CaptureStatement['statement'] = {
    format: CAPTURE_STATEMENT_FORMAT,
    client,
    ...head,
    gaps,
    former_sha256: former?.checksum ?? null,
  }
  const body = canonical(statement)
  const { key_id, signature } = await ctx.keys.sign(Buffer.from(body))
  const checksum = createHash('sha256').update(body).digest('hex')
  await ctx.db.write(client_id, (tx) => insertStatement(tx, { ...head, key_id, checksum, body, signature }))
}

const KIND: SignedKind<'statement', CaptureStatement['statement']> = {
  member: 'statement',
  format: CAPTURE_STATEMENT_FORMAT,
  isWhole: (file): file is CaptureStatement => CaptureStatement.safeParse(file).success,
}

/** Verifies a statement of completeness against public keys, offline. */
export const checkStatement = (text: string, publicKeys: readonly KeyObject[]) =>
  checkSigned(text, KIND, publicKeys)

/** Signs the statement of each account once a day. */
export const stateCaptures = periodicJob({
  name: 'payloads.completeness',
  every: 3600,
  async run(ctx, _input, signal) {
    for (const account of await listClients(ctx.db)) {
      signal.throwIfAborted()
      await stateCompleteness(ctx, account)
    }
  },
})

/** A statement is about the whole account. */
function assertSeesAll({ caller: { access }, action }: PortalContext): void {
  if (access.groups(action) !== 'all') throw new Problem('not_permitted', { detail: 'not for all groups' })
}

/** Routes of the daily statements on the completeness of devices. */
export const completenessRoutes = (): Handlers<'listCaptureStatements' | 'readCaptureStatement'> => ({
  listCaptureStatements: async (context) => {
    assertSeesAll(context)
    return { data: await context.read((q) => listStatements(q, STATEMENTS_LISTED)) }
  },
  readCaptureStatement: async (context, { params, query }) => {
    assertSeesAll(context)
    const found = await context.read((q) => findStatement(q, params.statement_reference))
    if (!found) throw new Problem('not_found', { detail: 'no such statement' })
    const { body, key_id, signature } = found
    const statement = JSON.parse(body) as CaptureStatement['statement']
    const signed: CaptureStatement = {
      statement,
      signature: { algorithm: 'Ed25519', key_id, value: signature.toString('base64') },
    }
    if (!query.with_names) return signed
    const references = [...new Set(statement.gaps.map(({ device_reference }) => device_reference))]
    const names = await context.read((q) => deviceNames(q, context.caller.access, references))
    return {
      ...signed,
      device_names: Object.fromEntries(
        [...names].flatMap(([reference, { name }]) => (name === undefined ? [] : [[reference, name]])),
      ),
    }
  },
})
