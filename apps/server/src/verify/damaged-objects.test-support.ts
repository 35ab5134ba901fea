import { randomBytes } from 'node:crypto'
import { readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { associatedData, seal } from '@custodia/envelope'
import { PEAKS } from '../payloads/data-objects.ts'
import { type IngestFixture, sha256 } from '../testing/ingest-fixture.ts'
import { dekContext } from '../ports/keys/contexts.ts'
import { objectPath } from '../ports/objects/filesystem-layout.ts'
import { type Damage, damageOn as on, objectsRoot, type Victim, writeOld } from './damage.test-support.ts'

async function flip(file: string, at: number): Promise<void> {
  const bytes = await readFile(file)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  await writeFile(file, bytes)
}

/** Adds a derived object, as processing would have. */
async function derive(
  { ctx, sql, accounts }: IngestFixture,
  { payload_id, payload_reference }: Victim,
): Promise<string> {
  const dek = randomBytes(32)
  const key = `acme/${payload_reference}/${PEAKS}-${randomBytes(9).toString('hex')}`
  const bytes = Buffer.from('peaks')
  const aad = associatedData({ client: 'acme', payload_reference, kind: PEAKS })
  const source = async function* () {
    yield bytes
  }
  const { size } = await ctx.objects.put(key, seal(dek, aad, source()))
  await sql(
    `insert into payload_objects (client_id, payload_id, kind, object_key, wrapped_dek, sealed_size, size, content_type, checksum, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, 'x', $8, 0)`,
    [
      accounts.acme.client_id,
      payload_id,
      PEAKS,
      key,
      await ctx.keys.wrap(dek, dekContext('acme', payload_reference)),
      size,
      bytes.length,
      sha256(bytes),
    ],
  )
  return objectPath(objectsRoot({ ctx } as IngestFixture), key)
}

/** Damages of objects, their keys and what is sealed beside them. */
export const DAMAGED_OBJECTS: readonly Damage[] = [
  on('photo', 'lost object', async (_, { payload_reference, file }) => {
    await rm(file)
    return [['object_missing', payload_reference]]
  }),
  on('uploaded', 'lost object of an acknowledged upload', async (_, { payload_reference, file }) => {
    await rm(file)
    return [['object_missing', payload_reference]]
  }),
  on('photo', 'truncated object', async (_, { payload_reference, file }) => {
    await truncate(file, 100)
    return [
      ['object_size', payload_reference],
      ['object_altered', payload_reference],
    ]
  }),
  on('photo', 'flipped byte', async (_, { payload_reference, file }) => {
    await flip(file, 60)
    return [['object_altered', payload_reference]]
  }),
  on('failed', 'flipped byte in the object of a failed payload', async (_, { payload_reference, file }) => {
    await flip(file, 60)
    return [['object_altered', payload_reference]]
  }),
  on('photo', 'flipped byte in a derived object', async (fixture, victim) => {
    await flip(await derive(fixture, victim), 45)
    return [['object_unreadable', victim.payload_reference]]
  }),
  on('photo', 'lost derived object', async (fixture, victim) => {
    await rm(await derive(fixture, victim))
    return [['object_missing', victim.payload_reference]]
  }),
  on('photo', 'wrong data key', async ({ ctx, sql: query }, { payload_id, payload_reference }) => {
    const wrapped = await ctx.keys.wrap(randomBytes(32), dekContext('acme', payload_reference))
    await query('update payload_objects set wrapped_dek = $2 where payload_id = $1', [payload_id, wrapped])
    return [['key_wrong', payload_reference]]
  }),
  on(
    'photo',
    'data key that was wiped from its slot',
    async ({ ctx, sql: query }, { payload_id, payload_reference }) => {
      const rows = await query('select wrapped_dek from payload_objects where payload_id = $1', [payload_id])
      await ctx.keys.forget(rows.map(({ wrapped_dek }) => wrapped_dek as Buffer))
      return [['key_lost', payload_reference]]
    },
  ),
  on(
    'photo',
    'data key of another payload',
    async ({ sql: query }, { payload_id, payload_reference }, other) => {
      await query(
        `update payload_objects set wrapped_dek = (select wrapped_dek from payload_objects where payload_id = $2 and kind = 'original')
       where payload_id = $1`,
        [payload_id, other.payload_id],
      )
      return [['key_refused', payload_reference]]
    },
  ),
  on(
    'photo',
    'object of another payload',
    async ({ sql: query }, { payload_id, payload_reference, file }, other) => {
      await rm(file)
      await query('update payload_objects set object_key = $2 where payload_id = $1', [payload_id, other.key])
      return [
        ['row_doubled', other.key],
        ['object_altered', payload_reference],
      ]
    },
  ),
  on('photo', 'altered metadata', async ({ sql: query }, { payload_id, payload_reference }) => {
    await query(
      'update payload_envelopes set sealed_meta = set_byte(sealed_meta, 3, 255 - get_byte(sealed_meta, 3)) where payload_id = $1',
      [payload_id],
    )
    return [['metadata_unreadable', payload_reference]]
  }),
  on(
    'blocked',
    'altered metadata of a call without recording',
    async ({ sql: query }, { payload_id, payload_reference }) => {
      await query(
        'update payload_envelopes set sealed_meta = set_byte(sealed_meta, 3, 255 - get_byte(sealed_meta, 3)) where payload_id = $1',
        [payload_id],
      )
      return [['metadata_unreadable', payload_reference]]
    },
  ),
  on('photo', 'orphan object', async (fixture, { payload_reference }) => {
    const key = `acme/${payload_reference}/playback-0123456789abcdef01`
    await writeOld(objectPath(objectsRoot(fixture), key))
    return [['object_orphaned', key]]
  }),
  on('blocked', 'upload for a payload without data', async (fixture, { key }) => {
    await writeOld(objectPath(objectsRoot(fixture), key))
    return [['object_orphaned', key]]
  }),
  on('photo', 'object of an unknown client', async (fixture, { payload_reference }) => {
    const key = `nobody/${payload_reference}/original-0`
    await writeOld(objectPath(objectsRoot(fixture), key))
    return [['object_orphaned', key]]
  }),
]
