import { STATE_CODES as S, typeOfCode } from '../payload-records/codes.ts'
import { ORIGINAL } from '../payloads/data-objects.ts'
import { originalKey } from '../payloads/original-key.ts'
import { dekContext } from '../ports/keys/contexts.ts'
import { openDeviceDek } from '../ports/keys/device-dek.ts'
import type { Client, Scope } from './checks.ts'
import { type Decryptors, faultOfKey } from './keys.ts'
import type { OpenTask } from './open-worker.ts'

/** Rows read at a time, and objects given to a thread at a time. */
const PAGE = 512
const SHARE = 16

/** The part of the payloads to open: those whose id has this remainder. All: 0 of 1. */
export interface Part {
  of: number
  rest: number
}

interface Row {
  payload_id: number
  payload_reference: string
  type: number
  state: number
  rejected_count: number
  /** Null: no derived or wrapped object yet. */
  kind: string | null
  object_key: string | null
  wrapped_dek: Buffer | null
  sealed_size: number | null
  size: number | null
  checksum: string | null
  announced: string | null
  announced_size: number | null
  key_id: string | null
  encrypted_dek: Buffer | null
  dek_key: Buffer | null
  iv: string | null
  sealed_meta: Buffer | null
}

const COLUMNS = `p.payload_id, p.payload_reference, p.type, p.state, p.rejected_count, o.kind, o.object_key, o.wrapped_dek, o.sealed_size, o.size,
  o.checksum, encode(e.checksum, 'hex') as announced, e.size as announced_size, e.key_id, e.encrypted_dek, e.dek_key, e.iv, e.sealed_meta`
const TABLES = `payloads p left join payload_objects o on o.client_id = p.client_id and o.payload_id = p.payload_id
  left join payload_envelopes e on e.payload_id = p.payload_id and (o.kind is null or o.kind = '${ORIGINAL}')`
/** States that keep the acknowledged objects; processing checks the objects of other states. */
const AT_REST = list([S.Processed, S.Transferred, S.Quarantined, S.Failed, S.NotRecorded, S.Deleted])
function list(codes: readonly number[]): string {
  return codes.join(', ')
}

/**
 * Opens every object of a client with its own key and compares the SHA-256 of the sealed and of the opened bytes with
 * the announced and stored ones, sealed metadata included. A fault counts after a second read of fresh rows confirms
 * it.
 */
export async function verifyContents(
  scope: Scope,
  client: Client,
  decryptors: Decryptors,
  part: Part,
): Promise<void> {
  const shares = new Set<Promise<void>>()
  let failure: { error: unknown } | undefined
  let after: readonly [number, string] = [0, '']
  for (;;) {
    scope.signal?.throwIfAborted()
    const rows = await scope.session.rows<Row>(
      `select ${COLUMNS} from ${TABLES}
       where p.client_id = $1 and (p.payload_id, coalesce(o.kind, '')) > ($2, $3) and p.payload_id % $4 = $5
         and p.state in (${AT_REST}) and ($6::bigint is null or p.updated_at >= $6)
       order by p.payload_id, o.kind limit ${PAGE}`,
      [client.client_id, ...after, part.of, part.rest, scope.since],
    )
    const last = rows.at(-1)
    if (!last) break
    after = [last.payload_id, last.kind ?? '']
    for (let i = 0; i < rows.length; i += SHARE) {
      const share = openShare(scope, client, decryptors, rows.slice(i, i + SHARE))
        .catch((error: unknown) => void (failure ??= { error }))
        .finally(() => shares.delete(share))
      shares.add(share)
      // A little ahead of the threads, so that they never wait and memory stays flat.
      while (shares.size > decryptors.size * 2) await Promise.race(shares)
      if (failure) throw failure.error
    }
  }
  await Promise.all(shares)
  if (failure) throw failure.error
}

async function openShare(
  scope: Scope,
  client: Client,
  decryptors: Decryptors,
  rows: readonly Row[],
): Promise<void> {
  const validated = await Promise.all(
    rows.map(async (row) => ({ row, task: await getTask(scope, client, row) })),
  )
  const open = validated.flatMap(({ row, task }) => (task && 'client' in task ? [{ row, task }] : []))
  const results = open.length > 0 ? await decryptors.open(open.map(({ task }) => task)) : []
  const opened = results.filter(({ bytes }) => bytes > 0).length
  scope.checked.opened += opened
  const of = (scope.checked.opened_of ??= {})
  of[client.client] = (of[client.client] ?? 0) + opened
  scope.checked.opened_bytes += results.reduce((sum, { bytes }) => sum + bytes, 0)
  const suspects = [
    ...validated.filter(({ task }) => task && 'check' in task).map(({ row }) => row),
    ...open.filter((_, i) => results[i]?.fault).map(({ row }) => row),
  ]
  for (const row of suspects) await lookAgain(scope, client, decryptors, row)
}

/** Reads the row again and reports the fault if it remains. */
async function lookAgain(
  scope: Scope,
  client: Client,
  decryptors: Decryptors,
  { payload_id, kind }: Row,
): Promise<void> {
  const [row] = await scope.session.rows<Row>(
    `select ${COLUMNS} from ${TABLES} where p.client_id = $1 and p.payload_id = $2 and o.kind is not distinct from $3 and p.state in (${AT_REST})`,
    [client.client_id, payload_id, kind],
  )
  if (!row) return
  const task = await getTask(scope, client, row)
  if (!task) return
  const fault = 'check' in task ? task : (await decryptors.open([task]))[0]?.fault
  if (!fault) return
  // Throws if the whole store fails, because then no verdict on this object is possible.
  if (fault.check === 'object_unreadable') await scope.ctx.objects.health()
  scope.findings.add(fault.check, client.client, [{ subject: row.payload_reference, detail: fault.detail }])
}

type Fault = { check: ReturnType<typeof faultOfKey>; detail: string }

async function getTask({ ctx }: Scope, { client }: Client, row: Row): Promise<OpenTask | Fault | undefined> {
  const { payload_reference, kind, object_key, wrapped_dek, sealed_size } = row
  const identity = { client, payload_reference }
  const { iv, sealed_meta: sealed } = row
  const meta = iv !== null && sealed ? { meta: { payload_type: typeOfCode(row.type), iv, sealed } } : {}
  try {
    if (kind !== null && object_key !== null) {
      // Its absence is found among the rows.
      if (!wrapped_dek) return undefined
      const dek = await ctx.keys.unwrap(wrapped_dek, dekContext(client, payload_reference))
      const { announced: sealed_checksum, checksum, size } = row
      const object = { kind, key: object_key, sealed_size: Number(sealed_size) }
      return { ...identity, object, dek, sealed_checksum, checksum, size: Number(size), ...meta }
    }
    const { key_id, encrypted_dek, dek_key } = row
    if (row.state === S.NotRecorded && key_id !== null && encrypted_dek !== null)
      return {
        ...identity,
        dek: await openDeviceDek(ctx.keys, { ...identity, key_id, encrypted_dek, dek_key }),
        ...meta,
      }
  } catch (error) {
    return { check: faultOfKey(error), detail: kind ?? 'metadata' }
  }
  return row.state === S.Quarantined || (row.state === S.Failed && row.announced !== null)
    ? untouched(identity, row)
    : undefined
}

/**
 * The check of an unopened original, quarantined or failed: its bytes must match the announced ones, unless it was
 * rejected.
 */
function untouched(identity: { client: string; payload_reference: string }, row: Row): OpenTask | undefined {
  const { announced, announced_size, rejected_count } = row
  if (announced === null || rejected_count > 0) return undefined
  const key = originalKey(identity.client, identity.payload_reference, rejected_count)
  return {
    ...identity,
    object: { kind: ORIGINAL, key, sealed_size: Number(announced_size) },
    sealed_checksum: announced,
  }
}
