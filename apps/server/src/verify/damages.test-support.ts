import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { associatedData, seal } from '@custodia/envelope'
import { PEAKS } from '../payloads/data-objects.ts'
import { dekContext } from '../ports/keys/contexts.ts'
import {
  type IngestWorld,
  sealRecording,
  sha256,
  type TestPhone,
} from '../payloads/intake/ingest-world.test-support.ts'
import { objectPath } from '../ports/objects/filesystem-layout.ts'
import type { Check } from './checks.ts'

/** A payload that is going to be damaged. */
export interface Victim {
  payload_id: number
  payload_reference: string
  /** Key and file of its original; of what has no data, where it would be. */
  key: string
  file: string
}

/** What a damage must be called, on which subject. */
export type Expected = readonly [check: Check, subject: string]

export interface Damage {
  name: string
  /** What kind of payload it takes. */
  on: 'photo' | 'recorded' | 'uploaded' | 'blocked' | 'failed'
  plant(world: IngestWorld, victim: Victim, other: Victim): Promise<Expected[]>
}

const LONG_AGO = new Date(Date.now() - 4 * 86_400_000)

/** As the owner, past triggers and foreign keys, as when a disk or a person errs. */
const force = (world: IngestWorld, statements: string) =>
  world.rows(`set session_replication_role = replica; ${statements}; reset session_replication_role`)

const objectsRoot = (world: IngestWorld) => join(world.house.config.dataDir, 'objects')

async function flip(file: string, at: number): Promise<void> {
  const bytes = await readFile(file)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  await writeFile(file, bytes)
}

async function writeOld(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, 'nobody')
  await utimes(file, LONG_AGO, LONG_AGO)
}

/** Adds a derived object, as processing would have. */
async function derive(
  { house, rows, accounts }: IngestWorld,
  { payload_id, payload_reference }: Victim,
): Promise<string> {
  const dek = randomBytes(32)
  const key = `acme/${payload_reference}/${PEAKS}-${randomBytes(9).toString('hex')}`
  const bytes = Buffer.from('peaks')
  const aad = associatedData({ client: 'acme', payload_reference, kind: PEAKS })
  const source = async function* () {
    yield bytes
  }
  const { size } = await house.objects.put(key, seal(dek, aad, source()))
  await rows(
    `insert into payload_objects (client_id, payload_id, kind, object_key, wrapped_dek, sealed_size, size, content_type, checksum, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, 'x', $8, 0)`,
    [
      accounts.acme.client_id,
      payload_id,
      PEAKS,
      key,
      await house.keys.wrap(dek, dekContext('acme', payload_reference)),
      size,
      bytes.length,
      sha256(bytes),
    ],
  )
  return objectPath(objectsRoot({ house } as IngestWorld), key)
}

const on = (kind: Damage['on'], name: string, plant: Damage['plant']): Damage => ({ name, on: kind, plant })

/** A damage of rows alone: statements on `$id`, and what they must be called on the payload. */
const rows = (kind: Damage['on'], name: string, statements: string, ...checks: Check[]): Damage =>
  on(kind, name, async (world, { payload_id, payload_reference }) => {
    await force(world, statements.replaceAll('$id', String(payload_id)))
    return checks.map((check) => [check, payload_reference])
  })

/** Damages of one payload each; they can be planted side by side. */
export const DAMAGES: readonly Damage[] = [
  on('photo', 'lost object', async (_, { payload_reference, file }) => {
    await rm(file)
    return [['object_missing', payload_reference]]
  }),
  on('uploaded', 'lost object of what was acknowledged', async (_, { payload_reference, file }) => {
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
  on('failed', 'flipped byte in what was set aside', async (_, { payload_reference, file }) => {
    await flip(file, 60)
    return [['object_altered', payload_reference]]
  }),
  on('photo', 'flipped byte in a derived object', async (world, victim) => {
    await flip(await derive(world, victim), 45)
    return [['object_unreadable', victim.payload_reference]]
  }),
  on('photo', 'lost derived object', async (world, victim) => {
    await rm(await derive(world, victim))
    return [['object_missing', victim.payload_reference]]
  }),
  on('photo', 'wrong data key', async ({ house, rows: query }, { payload_id, payload_reference }) => {
    const wrapped = await house.keys.wrap(randomBytes(32), dekContext('acme', payload_reference))
    await query('update payload_objects set wrapped_dek = $2 where payload_id = $1', [payload_id, wrapped])
    return [['key_wrong', payload_reference]]
  }),
  on(
    'photo',
    'data key of another payload',
    async ({ rows: query }, { payload_id, payload_reference }, other) => {
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
    async ({ rows: query }, { payload_id, payload_reference, file }, other) => {
      await rm(file)
      await query('update payload_objects set object_key = $2 where payload_id = $1', [payload_id, other.key])
      return [
        ['row_doubled', other.key],
        ['object_altered', payload_reference],
      ]
    },
  ),
  on('photo', 'altered metadata', async ({ rows: query }, { payload_id, payload_reference }) => {
    await query(
      'update payload_envelopes set sealed_meta = set_byte(sealed_meta, 3, 255 - get_byte(sealed_meta, 3)) where payload_id = $1',
      [payload_id],
    )
    return [['metadata_unreadable', payload_reference]]
  }),
  on(
    'blocked',
    'altered metadata of what was not recorded',
    async ({ rows: query }, { payload_id, payload_reference }) => {
      await query(
        'update payload_envelopes set sealed_meta = set_byte(sealed_meta, 3, 255 - get_byte(sealed_meta, 3)) where payload_id = $1',
        [payload_id],
      )
      return [['metadata_unreadable', payload_reference]]
    },
  ),
  rows(
    'photo',
    'digest that is not of the opened bytes',
    `update payload_objects set checksum = repeat('0', 64) where payload_id = $id`,
    'content_wrong',
  ),
  rows(
    'photo',
    'wrapped key gone',
    'update payload_objects set wrapped_dek = null where payload_id = $id',
    'key_missing',
  ),
  rows(
    'photo',
    'row of the object gone',
    'delete from payload_objects where payload_id = $id',
    'object_row_missing',
  ),
  rows(
    'photo',
    'row of the object with another size',
    'update payload_objects set sealed_size = sealed_size + 1 where payload_id = $id',
    'object_row_wrong',
    'object_size',
  ),
  rows(
    'photo',
    'deleted document',
    'delete from payload_documents where payload_id = $id; delete from payload_numbers where payload_id = $id',
    'document_missing',
  ),
  rows(
    'recorded',
    'document out of nothing',
    `insert into payload_documents (payload_id, client_id, list_doc) select payload_id, client_id, '{}' from payloads where payload_id = $id`,
    'document_unexpected',
  ),
  rows(
    'photo',
    'impossible state',
    'update payloads set state = 6 where payload_id = $id',
    'state_impossible',
    'history_broken',
  ),
  rows(
    'recorded',
    'state without its history',
    'update payloads set state = 7, failure = $$malware_found$$ where payload_id = $id',
    'history_broken',
    'object_missing',
  ),
  rows(
    'photo',
    'broken history',
    'update payload_history set to_state = 6 where payload_id = $id and to_state = 4',
    'history_broken',
  ),
  rows(
    'photo',
    'missing history step',
    'delete from payload_history where payload_id = $id and to_state = 3',
    'history_broken',
  ),
  rows(
    'photo',
    'missing beginning',
    'delete from payload_history where payload_id = $id and from_state is null',
    'history_broken',
  ),
  rows(
    'photo',
    'doubled history step',
    'insert into payload_history select * from payload_history where payload_id = $id and to_state = 4',
    'history_broken',
  ),
  rows(
    'photo',
    'history backwards',
    'update payload_history set at = at - 1000 where payload_id = $id and to_state = 5',
    'history_broken',
  ),
  on('photo', 'step by nobody', async (world, { payload_id }) => {
    await force(world, `update payload_history set by = '' where payload_id = ${payload_id} and to_state = 4`)
    return [['history_broken', `payload ${payload_id}`]]
  }),
  rows(
    'photo',
    'lost announcement',
    'delete from payload_envelopes where payload_id = $id',
    'envelope_missing',
  ),
  rows('blocked', 'lost number', 'delete from payload_numbers where payload_id = $id', 'numbers_wrong'),
  rows(
    'blocked',
    'another number',
    'update payload_numbers set number_hash = number_hash + 1 where payload_id = $id and is_second',
    'numbers_wrong',
  ),
  rows(
    'blocked',
    'number in another group',
    'update payload_numbers set group_id = group_id + 1000 where payload_id = $id',
    'numbers_wrong',
  ),
  rows(
    'photo',
    'lost place among the changes',
    'delete from payload_changes where payload_id = $id',
    'change_wrong',
  ),
  rows(
    'photo',
    'another place among the changes',
    'update payload_changes set updated_at = 5 where payload_id = $id',
    'change_wrong',
  ),
  rows('recorded', 'forgotten work', 'delete from payload_work where payload_id = $id', 'work_missing'),
  rows(
    'uploaded',
    'forgotten work of what was acknowledged',
    'delete from payload_work where payload_id = $id',
    'work_missing',
  ),
  rows(
    'photo',
    'device that does not exist',
    'update payloads set device_id = 99999 where payload_id = $id',
    'place_unknown',
  ),
  rows(
    'photo',
    'unknown key of the phone',
    `update payload_envelopes set key_id = gen_random_uuid()::text where payload_id = $id`,
    'key_lost',
  ),
  on('photo', 'wrapped under a lost key', async (world, { payload_id, payload_reference }) => {
    await force(
      world,
      `update payload_objects set wrapped_dek = set_byte(wrapped_dek, 3, ${payload_id} % 200 + 2) where payload_id = ${payload_id}`,
    )
    return [
      ['key_lost', payload_reference],
      ['key_lost', `${payload_reference} and 0 more`],
    ]
  }),
  on('photo', 'orphan rows', async (world, { payload_id }) => {
    const nobody = payload_id + 1_000_000
    await force(
      world,
      `insert into payload_numbers select client_id, 1, 1, 1, ${nobody}, 1, 1, true from payloads where payload_id = ${payload_id}`,
    )
    return [['row_orphaned', `payload_numbers of payload ${nobody}`]]
  }),
  on('photo', 'record of an act without entry', async (world, { payload_id, payload_reference }) => {
    await force(
      world,
      `insert into payload_audit select client_id, payload_id, 1, 'log ${payload_reference}', 'x', 'payloads:play' from payloads where payload_id = ${payload_id}`,
    )
    return [['audit_entry_missing', `log ${payload_reference}`]]
  }),
  on('photo', 'orphan object', async (world, { payload_reference }) => {
    const key = `acme/${payload_reference}/playback-0123456789abcdef01`
    await writeOld(objectPath(objectsRoot(world), key))
    return [['object_orphaned', key]]
  }),
  on('blocked', 'upload of what brings no data', async (world, { key }) => {
    await writeOld(objectPath(objectsRoot(world), key))
    return [['object_orphaned', key]]
  }),
  on('photo', 'object of an unknown client', async (world, { payload_reference }) => {
    const key = `nobody/${payload_reference}/original-0`
    await writeOld(objectPath(objectsRoot(world), key))
    return [['object_orphaned', key]]
  }),
  on('photo', 'doubled row', async (world, { payload_id, payload_reference }) => {
    const copy = payload_id + 2_000_000
    await force(
      world,
      `alter table payloads drop constraint if exists payloads_client_id_payload_reference_key;
       create temporary table copies as select * from payloads where payload_id = ${payload_id};
       update copies set payload_id = ${copy}; insert into payloads overriding system value select * from copies; drop table copies`,
    )
    const lacking = [
      'envelope_missing',
      'document_missing',
      'change_wrong',
      'history_broken',
      'object_row_missing',
    ] as const
    return [
      ['row_doubled', payload_reference],
      ...lacking.map((check): Expected => [check, payload_reference]),
    ]
  }),
]

/** Damages of what payloads share: planted once, after the others. */
export const SHARED_DAMAGES: readonly {
  name: string
  plant(world: IngestWorld): Promise<(readonly [Check, string | RegExp])[]>
}[] = [
  {
    name: 'wrong counters',
    plant: async (world) => {
      await force(
        world,
        `update payload_counts set count = count + 1 where grain = 'd' and service = 4;
         update payload_totals set count = count + 1 where grain = 'm' and service = 4`,
      )
      return [
        ['counts_wrong', /^photos of \d{4}-\d\d-\d\d in group/],
        ['totals_wrong', /^photos of \d{4}-\d\d$/],
      ]
    },
  },
  {
    name: 'temporary files',
    plant: async (world) => {
      await writeOld(join(objectsRoot(world), 'parts', 'left.part'))
      return [['upload_left', 'the object store']]
    },
  },
  {
    name: 'account key of another client',
    plant: async (world) => {
      await force(
        world,
        `update clients set account_key = (select account_key from clients where client = 'acme') where client = 'globex'`,
      )
      return [['key_refused', 'globex']]
    },
  },
  ...(
    [
      [
        'row-level security not forced',
        'alter table payload_documents no force row level security',
        'payload_documents',
      ],
      ['row-level security off', 'alter table payload_objects disable row level security', 'payload_objects'],
      ['a policy gone', 'drop policy tenant on payload_history', 'payload_history'],
      ['a policy that lets all in', 'alter policy tenant on payload_changes using (true)', 'payload_changes'],
      ['a policy too many', 'create policy open on alerts using (true)', 'alerts'],
      ['a trigger off', 'alter table payloads disable trigger payload_transition', 'payloads'],
      ['evidence that may change', 'grant update on payload_receipts to custodia_app', 'payload_receipts'],
      ['evidence that may go', 'grant delete on payload_audit to custodia_app', 'payload_audit'],
      ['a transition too many', 'insert into payload_transitions values (2, 5)', 'payload_transitions'],
      [
        'a foreign key gone',
        'alter table payload_work drop constraint payload_work_client_id_payload_id_fkey',
        'payload_work',
      ],
      [
        'a primary key gone',
        'alter table tag_definitions drop constraint tag_definitions_pkey',
        'tag_definitions',
      ],
      [
        'a constraint that was never validated',
        'alter table roles add constraint later check (updated_at > 0) not valid',
        'roles',
      ],
    ] as const
  ).map(([name, sql, table]) => ({
    name,
    plant: async (world: IngestWorld) => {
      await world.rows(sql)
      return [['protection_missing', table] as const]
    },
  })),
]

/** A payload of each kind, as its phone and the processing leave it. `uploaded` ones are delivered after all processing. */
export async function makeVictim(world: IngestWorld, phone: TestPhone, kind: Damage['on']): Promise<Victim> {
  const type = kind === 'blocked' ? 'AbortedCall' : kind === 'failed' ? 'SMS' : 'Photo'
  const sealed = await sealRecording(phone, type, kind === 'blocked' ? undefined : randomBytes(2000))
  const { payload_reference } = sealed.announcement
  if (kind !== 'blocked' && kind !== 'recorded') await phone.deliver(sealed)
  else await phone.announce(sealed.announcement)
  const row = await world.state(payload_reference)
  const key = `acme/${payload_reference}/original-0`
  return {
    payload_id: Number(row?.payload_id),
    payload_reference,
    key,
    file: objectPath(objectsRoot(world), key),
  }
}
