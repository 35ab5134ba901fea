import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Direction, PayloadMeta } from '@custodia/contract'
import { payloadDocument } from '@custodia/domain'
import { associatedData, metaKind, newDek, openSequential, seal, sealMeta, wrapDek } from '@custodia/envelope'
import { readConfig } from '../../../apps/server/src/config.ts'
import { openArchive } from '../../../apps/server/src/open-archive.ts'
import { dekContext, accountKeyContext } from '../../../apps/server/src/ports/keys/contexts.ts'
import { localFileKeys } from '../../../apps/server/src/ports/keys/local-file.ts'
import { objectPath } from '../../../apps/server/src/ports/objects/filesystem-layout.ts'
import { verifyArchive } from '../../../apps/server/src/verify/verify.ts'
import { type Archive, CLIENT } from './fill.ts'
import { cpuOfEnded, getPostmaster } from './load.ts'
import type { BenchContext, Options } from './options.ts'

/** Adds to a filled archive the evidence that devices upload: announcements, histories, rows of objects, and a file for each. */
async function addEvidence(
  { owner, folder, client_id }: Archive,
  say: (step: string) => void,
): Promise<void> {
  const keys = localFileKeys({ folder: join(folder, 'data', 'keys') })
  const { key_id, public_key_pem } = await keys.createKek(CLIENT)
  const { rows } = await owner.query<{ payload_reference: string }>(
    'select payload_reference from payloads order by payload_id limit 1',
  )
  const dek = newDek()
  const wrapped = await keys.wrap(dek, dekContext(CLIENT, rows[0]?.payload_reference ?? ''))
  await owner.query('update clients set account_key = $1', [
    await keys.wrap(randomBytes(32), accountKeyContext(CLIENT)),
  ])
  await owner.query('insert into client_keys values ($1, $2, $3, 0)', [key_id, client_id, public_key_pem])
  await owner.query(
    `create or replace function bench_dek() returns bytea language sql immutable as $$ select '\\x${wrapped.toString('hex')}'::bytea $$`,
  )
  const statements = [
    // Calls that were not recorded have no data.
    'update payloads set state = 1 where type in (2, 3)',
    `insert into payload_envelopes (payload_id, client_id, key_id, encrypted_dek, iv, sealed_meta, checksum, size, fingerprint)
     select payload_id, client_id, '${key_id}', decode('${wrapDek(public_key_pem, dek)}', 'base64'), '', '', '', case when type in (2, 3) then null else 1 end, ''
     from payloads order by payload_id`,
    `insert into payload_history (client_id, payload_id, at, from_state, to_state, by)
     select client_id, payload_id, announced_at + 2 * step, case when step > 0 then (array[2, 3, 4])[step] end,
       (array[2, 3, 4, 5])[step + 1], 'bench'
     from payloads, generate_series(0, 3) step where type not in (2, 3) order by payload_id, step`,
    `insert into payload_history (client_id, payload_id, at, from_state, to_state, by)
     select client_id, payload_id, announced_at + 2 * step, case when step > 0 then (array[3, 4])[step] end, (array[3, 4, 1])[step + 1], 'bench'
     from payloads, generate_series(0, 2) step where type in (2, 3)`,
    `insert into payload_objects (client_id, payload_id, kind, object_key, wrapped_dek, sealed_size, size, content_type, created_at)
     select client_id, payload_id, 'original', '${CLIENT}/' || payload_reference || '/original-0', bench_dek(), 1, 1, '', 0
     from payloads where type not in (2, 3) order by payload_id`,
    'drop function bench_dek',
    'vacuum analyze',
  ]
  for (const statement of statements) await owner.query(statement)
  say('Making a file for each object …')
  const root = join(folder, 'data', 'objects')
  for (let after = 0; ;) {
    const { rows: page } = await owner.query<{ payload_id: number; object_key: string }>(
      'select payload_id, object_key from payload_objects where client_id = $1 and payload_id > $2 order by payload_id limit 20000',
      [client_id, after],
    )
    for (const { object_key } of page) {
      const path = objectPath(root, object_key)
      mkdirSync(join(path, '..'), { recursive: true })
      writeFileSync(path, 'x')
    }
    const last = page.at(-1)
    if (!last) return
    after = last.payload_id
  }
}

/** Replaces the objects of some payloads by large ones that open. Resolves to their sealed bytes in all. */
async function addLarge(
  { owner, folder }: Archive,
  { large_objects, large_object_bytes }: Options,
): Promise<number> {
  const keys = localFileKeys({ folder: join(folder, 'data', 'keys') })
  const { rows } = await owner.query<LargeCall>(
    `select payload_id, payload_reference, object_key, payload_time, payload_end_time, list_doc::text as list_doc, '+449' || device_id as own_number
     from payloads join payload_objects using (client_id, payload_id) join payload_documents using (client_id, payload_id)
     where type = 1 order by payload_id desc limit ${large_objects}`,
  )
  const bytes = randomBytes(large_object_bytes)
  let total = 0
  for (const row of rows) {
    const { payload_id, payload_reference, object_key } = row
    const dek = newDek()
    const chunks: Buffer[] = []
    const aad = associatedData({ client: CLIENT, payload_reference, kind: 'original' })
    for await (const chunk of seal(dek, aad, source(bytes))) chunks.push(chunk)
    const sealed = Buffer.concat(chunks)
    writeFileSync(objectPath(join(folder, 'data', 'objects'), object_key), sealed)
    total += sealed.length
    const checksum = createHash('sha256').update(sealed).digest('hex')
    const opened = getMetadata(row, bytes.length)
    const { iv, meta } = sealMeta(dek, { client: CLIENT, payload_reference, kind: metaKind('Call') }, opened)
    await owner.query('update payload_documents set list_doc = $2 where payload_id = $1', [
      payload_id,
      JSON.stringify(payloadDocument(opened)),
    ])
    await owner.query(
      `update payload_envelopes set size = $2, checksum = decode($3, 'hex'), iv = $4, sealed_meta = $5 where payload_id = $1`,
      [payload_id, sealed.length, checksum, iv, Buffer.from(meta, 'base64')],
    )
    await owner.query(
      'update payload_objects set sealed_size = $2, size = $3, checksum = $4, wrapped_dek = $5 where payload_id = $1',
      [
        payload_id,
        sealed.length,
        bytes.length,
        createHash('sha256').update(bytes).digest('hex'),
        await keys.wrap(dek, dekContext(CLIENT, payload_reference)),
      ],
    )
    // The deep check opens payloads that changed, which are these alone.
    await owner.query('update payloads set updated_at = 4000000000 where payload_id = $1', [payload_id])
    await owner.query('update payload_changes set updated_at = 4000000000 where payload_id = $1', [
      payload_id,
    ])
  }
  return total
}

interface LargeCall {
  payload_id: string
  payload_reference: string
  object_key: string
  payload_time: string
  payload_end_time: string
  list_doc: string
  own_number: string
}

/** What a device would have sealed of a call that the archive was filled with. */
function getMetadata(
  { payload_reference, payload_time, payload_end_time, list_doc, own_number }: LargeCall,
  size: number,
): PayloadMeta {
  const { duration, direction, parties, timezone, timezone_offset, local_time } = JSON.parse(list_doc) as {
    duration: number
    direction: Direction
    parties: { phone_number: string; contact_name: string }[]
    timezone: string
    timezone_offset: number
    local_time: string
  }
  const start_time = Number(payload_time)
  return {
    payload_reference,
    timezone,
    timezone_offset,
    local_time,
    payload_time: start_time,
    payload_end_time: Number(payload_end_time),
    payload_full_duration: duration,
    size,
    payload_carrier_metadata: [{ phone_number: own_number, slot_index: 0 }],
    second_parties: parties.map((party) => ({ ...party, direction, start_time, duration })),
  }
}

async function* source(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

/** Measures the shallow check of the whole archive and the deep check of large objects, compared with the ciphers alone on the same bytes. */
export async function measureVerify(
  archive: Archive,
  { options, facts, file, say }: BenchContext,
): Promise<void> {
  await addEvidence(archive, say)
  const config = readConfig({ DATABASE_URL: archive.connection, CUSTODIA_DATA: join(archive.folder, 'data') })
  const opened = await openArchive(config)
  try {
    const postmaster = await getPostmaster(archive.owner)
    const used = cpuUsed(postmaster)
    const started = performance.now()
    const step = (text: string) =>
      say(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${text}`)
    const shallow = await verifyArchive(opened, { say: step })
    const seconds = (performance.now() - started) / 1000
    const shallowCpu = used()
    const bytes = await addLarge(archive, options)
    const baseline = await ciphers(options)
    // The deep check lists all objects and opens some: the time of listing is not part of opening.
    const since = 3_999_999_999
    const listing = cpuUsed(postmaster)
    await verifyArchive(opened, { since })
    const listed = listing().process
    const opening = cpuUsed(postmaster)
    const deep = await verifyArchive(opened, { since, open: { of: 1, rest: 0 }, threads: 1 })
    const opened_in = opening().process - listed
    const figures = {
      shallow: {
        seconds,
        // Unlike the time, it does not depend on the load of the machine.
        cpu_seconds: shallowCpu,
        outcome: shallow.outcome,
        ...shallow.checked,
        found: shallow.found,
        problem: shallow.problem,
      },
      deep: {
        outcome: deep.outcome,
        problem: deep.problem,
        bytes,
        cpu_seconds: opened_in,
        mb_per_second_and_core: bytes / 1e6 / opened_in,
      },
      floor: baseline,
      opening: await openingAlone(options),
    }
    console.log(`\nVerify\n\n${JSON.stringify(figures, null, 2)}`)
    writeFileSync(file, `${JSON.stringify({ title: 'Verify', ...facts, ...figures }, undefined, 2)}\n`)
    assert.deepEqual([shallow.outcome, deep.outcome], ['clean', 'clean'], 'the archive has no problems')
  } finally {
    await opened.close()
  }
}

/** Counts seconds of CPU from this call to the next: of this process, and of the database connections that have ended by then. */
function cpuUsed(postmaster: number): () => { process: number; database: number } {
  const [cpu, before] = [process.cpuUsage(), cpuOfEnded(postmaster)]
  return () => {
    const { user, system } = process.cpuUsage(cpu)
    return { process: (user + system) / 1e6, database: (cpuOfEnded(postmaster) - before) / 1000 }
  }
}

/** Megabytes per second and core of hashing twice. */
async function ciphers({ large_object_bytes }: Options): Promise<{ mb_per_second_and_core: number }> {
  return {
    mb_per_second_and_core:
      (await perSecond(large_object_bytes, async (bytes) => {
        createHash('sha256').update(bytes).digest()
      })) / 2,
  }
}

/** Megabytes per second and core of hashing and deciphering as the check does, without files. */
async function openingAlone({ large_object_bytes }: Options): Promise<{ mb_per_second_and_core: number }> {
  const dek = newDek()
  const aad = associatedData({ client: CLIENT, payload_reference: 'x', kind: 'original' })
  const chunks: Buffer[] = []
  for await (const chunk of seal(dek, aad, source(randomBytes(large_object_bytes)))) chunks.push(chunk)
  const sealed = Buffer.concat(chunks)
  return {
    mb_per_second_and_core: await perSecond(large_object_bytes, async () => {
      const [outer, inner] = [createHash('sha256'), createHash('sha256')]
      async function* read() {
        for (let at = 0; at < sealed.length; at += 1 << 20) {
          const chunk = sealed.subarray(at, at + (1 << 20))
          outer.update(chunk)
          yield chunk
        }
      }
      for await (const chunk of openSequential(dek, aad, read())) inner.update(chunk)
      outer.digest()
      inner.digest()
    }),
  }
}

async function perSecond(size: number, work: (bytes: Buffer) => Promise<void>): Promise<number> {
  const bytes = randomBytes(size)
  const cpu = process.cpuUsage()
  for (let i = 0; i < 16; i++) await work(bytes)
  const { user, system } = process.cpuUsage(cpu)
  return (16 * size) / (user + system)
}
