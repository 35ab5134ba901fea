import { STATE_CODES as S } from '../payload-records/codes.ts'
import { RESENDABLE } from '../payload-records/store.ts'
import { ORIGINAL, ORPHAN_AFTER } from '../payloads/data-objects.ts'
import type { ListedObject } from '../ports/objects/port.ts'
import { type Client, KEPT, type Scope } from './checks.ts'

/** Objects stored in the list at a time. */
const BATCH = 10_000
/** Seconds after which no running work can own an object: the sweep removes day-old ones every six hours. */
const SETTLED = ORPHAN_AFTER + 12 * 3600

/** Lists the store once, into a table of the session's own: memory stays flat, and the database compares. */
export async function listObjects(
  { listing: session, ctx, checked, signal }: Scope,
  only: Client | undefined,
): Promise<void> {
  await session.query(
    'create temporary table if not exists verify_objects (client text collate "C", object_key text collate "C", size bigint, modified_at bigint)',
  )
  await session.query('truncate verify_objects')
  const store = async (batch: readonly ListedObject[]) => {
    checked.objects += batch.length
    await session.query(
      `insert into verify_objects select split_part(k, '/', 1), k, s, m from unnest($1::text[], $2::bigint[], $3::bigint[]) as x(k, s, m)`,
      [
        batch.map(({ key }) => key),
        batch.map(({ size }) => size),
        batch.map(({ modified_at }) => modified_at),
      ],
    )
  }
  let batch: ListedObject[] = []
  // While the database takes one batch, the store lists the next: either is half of the work.
  let storing = Promise.resolve()
  for await (const object of ctx.objects.list(only ? `${only.client}/` : '')) {
    signal?.throwIfAborted()
    if (batch.push(object) < BATCH) continue
    await storing
    storing = store(batch)
    storing.catch(() => undefined)
    batch = []
  }
  await storing
  await store(batch)
  await session.query(
    'create index if not exists verify_objects_client on verify_objects (client, object_key)',
  )
  await session.query('analyze verify_objects')
}

/** Failures after which the bytes that came are set aside, and others are awaited in their place. */
const RESENT = [...RESENDABLE].map((failure) => `'${failure}'`).join(', ')

/** Expected objects: those of rows, and acknowledged uploads without a row yet. Sizes in bytes. */
const EXPECTED = `
  select p.payload_reference, o.kind, o.object_key, o.sealed_size as size, p.updated_at
  from payload_objects o join payloads p using (client_id, payload_id)
  where o.client_id = $1 and p.state <> ${S.Destroyed}
  union all
  select p.payload_reference, '${ORIGINAL}', $2 || '/' || p.payload_reference || '/original-' || p.rejected_count, e.size, p.updated_at
  from payloads p join payload_envelopes e using (client_id, payload_id)
  where p.client_id = $1 and e.size is not null
    and (p.state in (${S.Uploaded}, ${S.Scanning}, ${S.Quarantined}) or (p.state = ${S.Failed} and p.failure not in (${RESENT}))
      or (p.state = ${S.Deleted} and p.state_before_deletion in (${S.Quarantined}, ${S.Failed})))
    and not exists (select from payload_objects o where o.client_id = p.client_id and o.payload_id = p.payload_id and o.kind = '${ORIGINAL}')`

interface Suspect {
  payload_reference: string
  kind: string
  object_key: string
  size: number
  found: number | null
  total: number
}

/**
 * Every row has its object, of the size it states, and every object its row. The listing and the rows are read at
 * different times, so each suspicion is read again before it counts.
 */
export async function compareObjects(scope: Scope, client: Client): Promise<void> {
  const { listing: session, findings, since } = scope
  const suspects = await session.rows<Suspect>(
    `select x.*, s.size as found, (count(*) over ())::int as total from (${EXPECTED}) x
     left join verify_objects s on s.client = $2 and s.object_key = x.object_key
     where (s.size is null or s.size <> x.size) and ($3::bigint is null or x.updated_at >= $3) limit ${KEPT}`,
    [client.client_id, client.client, since],
  )
  let uncertain = 0
  for (const { payload_reference, object_key, kind } of suspects) {
    const [expected] = await session.rows<{ size: number }>(
      `select size from (${EXPECTED}) x where object_key = $3 and payload_reference = $4`,
      [client.client_id, client.client, object_key, payload_reference],
    )
    const there = await scope.ctx.objects.head(object_key)
    if (!expected || there?.size === Number(expected.size)) uncertain++
    else if (!there)
      findings.add('object_missing', client.client, [
        { subject: payload_reference, detail: `${kind}, ${object_key}` },
      ])
    else
      findings.add('object_size', client.client, [
        {
          subject: payload_reference,
          detail: `${kind}, ${there.size} bytes instead of ${expected.size}, ${object_key}`,
        },
      ])
  }
  const [first] = suspects
  if (first && first.total > suspects.length)
    findings.add(
      first.found === null ? 'object_missing' : 'object_size',
      client.client,
      [],
      first.total - suspects.length,
    )
  if (uncertain > 0) scope.ctx.log.debug({ uncertain }, 'objects were in motion')
  await findOrphans(scope, client)
}

/** Refused uploads stay as evidence next to the accepted one. A finished destruction leaves no object. */
const OWNED = `exists (select from payloads p join payload_objects o using (client_id, payload_id)
    where p.client_id = $1 and p.payload_reference = split_part(s.object_key, '/', 2) and o.object_key = s.object_key
    and not exists (select from destruction_ends e where e.client_id = o.client_id and e.payload_id = o.payload_id))
  or exists (
    select from payloads p join payload_envelopes e using (client_id, payload_id)
    where p.client_id = $1 and p.payload_reference = split_part(s.object_key, '/', 2) and e.size is not null and p.state <> ${S.Destroyed}
      and s.object_key ~ '/original-[0-9]{1,5}$' and substring(s.object_key from '[0-9]+$')::int <= p.rejected_count)`

async function findOrphans(
  { listing: session, findings, since, ctx }: Scope,
  { client_id, client }: Client,
): Promise<void> {
  const now = ctx.now()
  // The sweep removes a derived object that a crash left; an upload without a row counts after a day.
  const rows = await session.rows<{ subject: string; detail: string; total: number }>(
    `select s.object_key as subject, s.size || ' bytes' as detail, (count(*) over ())::int as total from verify_objects s
     where s.client = $2 and s.modified_at < (case when s.object_key like '%/original-%' then $4::bigint else $5::bigint end)
       and ($3::bigint is null or s.modified_at >= $3) and not (${OWNED}) limit ${KEPT}`,
    [client_id, client, since, now - ORPHAN_AFTER, now - SETTLED],
  )
  const still: typeof rows = []
  for (const row of rows) if (await ctx.objects.head(row.subject)) still.push(row)
  const total = rows[0]?.total ?? 0
  findings.add('object_orphaned', client, still, still.length + total - rows.length)
}

/** Objects of clients that do not exist, what interrupted writes left, and whether a lock holds. */
export async function verifyStore(scope: Scope, clients: readonly Client[]): Promise<void> {
  const { listing: session, findings, ctx } = scope
  const rows = await session.rows<{ subject: string; detail: string; total: number }>(
    `select object_key as subject, size || ' bytes, of no client' as detail, (count(*) over ())::int as total from verify_objects
     where client <> all($1::text[]) and modified_at < $2 limit ${KEPT}`,
    [clients.map(({ client }) => client), ctx.now() - ORPHAN_AFTER],
  )
  findings.add('object_orphaned', null, rows, rows[0]?.total)
  for (const fault of (await ctx.objects.settingFaults?.()) ?? [])
    findings.add('bucket_wrong', null, [{ subject: 'the bucket', detail: fault }])
  for (const broken of (await ctx.objects.lock?.attack()) ?? [])
    findings.add('lock_broken', null, [{ subject: 'the canary', detail: broken }])
  const left = await ctx.objects.leftovers(ctx.now() - SETTLED)
  if (left > 0)
    findings.add(
      'upload_left',
      null,
      [{ subject: 'the object store', detail: `${left} interrupted writes` }],
      left,
    )
}
