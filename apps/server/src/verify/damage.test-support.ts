import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, open, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { associatedData, seal } from '@custodia/envelope'
import { PEAKS } from '../payloads/data-objects.ts'
import { dekContext } from '../ports/keys/contexts.ts'
import { objectPath } from '../ports/objects/filesystem-layout.ts'
import { openIndex } from '../ports/objects/pack-index.ts'
import { contentOffset, packsFolder, segmentPath } from '../ports/objects/pack-record.ts'
import { type IngestFixture, sha256 } from '../testing/ingest-fixture.ts'
import type { Check } from './checks.ts'

/** A payload that is going to be damaged. */
export interface Victim {
  payload_id: number
  payload_reference: string
  /** Key of its original, also of one without data. */
  key: string
}

/** What a damage must be called, on which subject. */
export type ExpectedFinding = readonly [check: Check, subject: string]

export interface Damage {
  name: string
  /** What kind of payload it takes. */
  on: 'photo' | 'recorded' | 'uploaded' | 'blocked' | 'failed'
  plant(fixture: IngestFixture, victim: Victim, other: Victim): Promise<ExpectedFinding[]>
}

/** A damage of shared data, and the expected findings. */
export interface SharedDamage {
  name: string
  plant(fixture: IngestFixture): Promise<(readonly [Check, string | RegExp])[]>
}

/** SQL: of the client on which most is planted. */
export const OF_ACME = `client_id = (select client_id from clients where client = 'acme')`

export const damageOn = (kind: Damage['on'], name: string, plant: Damage['plant']): Damage => ({
  name,
  on: kind,
  plant,
})

/** As the owner, past triggers and foreign keys, as when a disk or a person errs. */
export const force = (fixture: IngestFixture, statements: string) =>
  fixture.sql(`set session_replication_role = replica; ${statements}; reset session_replication_role`)

/** A damage of shared rows by statements. */
export const damage = (
  name: string,
  statements: string,
  found: (readonly [Check, string | RegExp])[],
): SharedDamage => ({
  name,
  async plant(fixture) {
    await force(fixture, statements)
    return found
  },
})

/** Where the fixture's objects are. */
export const objectsRoot = (fixture: IngestFixture) => join(fixture.ctx.config.dataDir, 'objects')

const LONG_AGO = new Date(Date.now() - 4 * 86_400_000)

/** Writes a file that is too old to belong to a running upload. */
export async function writeOld(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, 'no owner')
  await utimes(file, LONG_AGO, LONG_AGO)
}

/** Alters a byte of a packed object on the disk. */
async function flip(fixture: IngestFixture, key: string, at: number): Promise<void> {
  const folder = packsFolder(objectsRoot(fixture))
  const place = openIndex(folder).find(key)
  assert.ok(place, `${key} is not packed`)
  const file = await open(segmentPath(folder, place.segment), 'r+')
  const position = place.at + contentOffset(key) + at
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, position)
  await file.write(Buffer.from([buffer.readUInt8() ^ 1]), 0, 1, position)
  await file.close()
}

/** Replaces an object by its first bytes. */
async function shorten({ ctx }: IngestFixture, key: string, size: number): Promise<void> {
  const source: Buffer[] = []
  for await (const chunk of ctx.objects.read(key, { start: 0, end: size })) source.push(chunk)
  await ctx.objects.delete(key)
  await ctx.objects.put(key, Readable.from(source))
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
  return key
}

/** Damages of objects, their keys and their sealed parts. */
export const DAMAGED_OBJECTS: readonly Damage[] = [
  damageOn('photo', 'lost object', async ({ ctx }, { payload_reference, key }) => {
    await ctx.objects.delete(key)
    return [['object_missing', payload_reference]]
  }),
  damageOn(
    'uploaded',
    'lost object of an acknowledged upload',
    async ({ ctx }, { payload_reference, key }) => {
      await ctx.objects.delete(key)
      return [['object_missing', payload_reference]]
    },
  ),
  damageOn('photo', 'truncated object', async (fixture, { payload_reference, key }) => {
    await shorten(fixture, key, 100)
    return [
      ['object_size', payload_reference],
      ['object_altered', payload_reference],
    ]
  }),
  damageOn('photo', 'flipped byte', async (fixture, { payload_reference, key }) => {
    await flip(fixture, key, 60)
    return [['object_altered', payload_reference]]
  }),
  damageOn(
    'failed',
    'flipped byte in the object of a failed payload',
    async (fixture, { payload_reference, key }) => {
      await flip(fixture, key, 60)
      return [['object_altered', payload_reference]]
    },
  ),
  damageOn('photo', 'flipped byte in a derived object', async (fixture, victim) => {
    await flip(fixture, await derive(fixture, victim), 45)
    return [['object_unreadable', victim.payload_reference]]
  }),
  damageOn('photo', 'lost derived object', async (fixture, victim) => {
    await fixture.ctx.objects.delete(await derive(fixture, victim))
    return [['object_missing', victim.payload_reference]]
  }),
  damageOn('photo', 'wrong data key', async ({ ctx, sql: query }, { payload_id, payload_reference }) => {
    const wrapped = await ctx.keys.wrap(randomBytes(32), dekContext('acme', payload_reference))
    await query('update payload_objects set wrapped_dek = $2 where payload_id = $1', [payload_id, wrapped])
    return [['key_wrong', payload_reference]]
  }),
  damageOn(
    'photo',
    'data key that was wiped from its slot',
    async ({ ctx, sql: query }, { payload_id, payload_reference }) => {
      const rows = await query('select wrapped_dek from payload_objects where payload_id = $1', [payload_id])
      await ctx.keys.forget(rows.map(({ wrapped_dek }) => wrapped_dek as Buffer))
      return [['key_lost', payload_reference]]
    },
  ),
  damageOn(
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
  damageOn(
    'photo',
    'object of another payload',
    async ({ ctx, sql: query }, { payload_id, payload_reference, key }, other) => {
      await ctx.objects.delete(key)
      await query('update payload_objects set object_key = $2 where payload_id = $1', [payload_id, other.key])
      return [
        ['row_doubled', other.key],
        ['object_altered', payload_reference],
      ]
    },
  ),
  damageOn('photo', 'altered metadata', async ({ sql: query }, { payload_id, payload_reference }) => {
    await query(
      'update payload_envelopes set sealed_meta = set_byte(sealed_meta, 3, 255 - get_byte(sealed_meta, 3)) where payload_id = $1',
      [payload_id],
    )
    return [['metadata_unreadable', payload_reference]]
  }),
  damageOn(
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
  damageOn('photo', 'orphan object', async (fixture, { payload_reference }) => {
    const key = `acme/${payload_reference}/playback-0123456789abcdef01`
    await writeOld(objectPath(objectsRoot(fixture), key))
    return [['object_orphaned', key]]
  }),
  damageOn('blocked', 'upload for a payload without data', async (fixture, { key }) => {
    await writeOld(objectPath(objectsRoot(fixture), key))
    return [['object_orphaned', key]]
  }),
  damageOn('photo', 'object of an unknown client', async (fixture, { payload_reference }) => {
    const key = `unknown/${payload_reference}/original-0`
    await writeOld(objectPath(objectsRoot(fixture), key))
    return [['object_orphaned', key]]
  }),
]
