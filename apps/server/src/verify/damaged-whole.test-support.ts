import { join } from 'node:path'
import { force, OF_ACME, objectsRoot, type SharedDamage, writeOld } from './damage.test-support.ts'
import { DAMAGED_ACTS, DAMAGED_EVIDENCE, DAMAGED_RULES } from './damaged-acts.test-support.ts'
import { DAMAGED_PHONES, DAMAGED_RUNS } from './damaged-phones.test-support.ts'
import type { IngestFixture } from '../testing/ingest-fixture.ts'

/** Altered safeguards of the database: name, statement and table. */
const ALTERED = [
  [
    'row-level security not forced',
    'alter table payload_documents no force row level security',
    'payload_documents',
  ],
  ['row-level security off', 'alter table payload_objects disable row level security', 'payload_objects'],
  ['a missing policy', 'drop policy tenant on payload_history', 'payload_history'],
  ['a policy that permits all', 'alter policy tenant on payload_changes using (true)', 'payload_changes'],
  ['an additional policy', 'create policy open on alerts using (true)', 'alerts'],
  ['a disabled trigger', 'alter table payloads disable trigger payload_transition', 'payloads'],
  ['evidence that may be updated', 'grant update on payload_receipts to custodia_app', 'payload_receipts'],
  [
    'a legal hold history that may be changed',
    'alter table legal_hold_events disable trigger kept',
    'legal_hold_events',
  ],
  ['evidence that may be deleted', 'grant delete on payload_audit to custodia_app', 'payload_audit'],
  ['an additional state transition', 'insert into payload_transitions values (2, 5)', 'payload_transitions'],
  [
    'a missing foreign key',
    'alter table payload_work drop constraint payload_work_client_id_payload_id_fkey',
    'payload_work',
  ],
  [
    'a missing primary key',
    'alter table tag_definitions drop constraint tag_definitions_pkey',
    'tag_definitions',
  ],
  [
    'a constraint that was never validated',
    'alter table roles add constraint later check (updated_at > 0) not valid',
    'roles',
  ],
] as const

/** Damages of what the database itself guards. */
const DAMAGED_SAFEGUARDS: readonly SharedDamage[] = ALTERED.map(([name, sql, table]) => ({
  name,
  plant: async (fixture: IngestFixture) => {
    await fixture.sql(sql)
    return [['protection_missing', table] as const]
  },
}))

/** Damages of what payloads share: planted once, after the others; those of safeguards last. */
export const SHARED_DAMAGES: readonly SharedDamage[] = [
  {
    name: 'wrong counters',
    plant: async (fixture) => {
      await force(
        fixture,
        `update payload_counts set parts[31] = parts[31] + 1 where grain = 'm' and service = 4 and type = 8 and group_id <> 0 and ${OF_ACME};
         update payload_counts set total = total + 1 where grain = 'y' and service = 4 and type = 0 and group_id = 0 and ${OF_ACME};
         update payload_metrics set last_occurrence = last_occurrence + 1 where type = 8 and scope = 'w' and ${OF_ACME};
         update fleet_counts set count = count + 1 where kind = 'u' and ${OF_ACME}`,
      )
      return [
        ['counts_wrong', /^photos of \d{4}-\d\d of type 8 in group \d+$/],
        ['counts_wrong', /^photos of \d{4}$/],
        ['metrics_wrong', /^type 8 of device \d+ in group \d+ at w \d+$/],
        ['fleet_wrong', /^device users as onboarded in group \d+$/],
      ]
    },
  },
  {
    name: 'a device with a service that was not granted',
    plant: async (fixture) => {
      await force(
        fixture,
        `update devices set granted_services = granted_services || '{gps}' where device_id = (select min(device_id) from devices)`,
      )
      return [
        ['licenses_wrong', /^[0-9A-Z]{26}$/],
        ['fleet_wrong', /^devices as gps in group \d+$/],
      ]
    },
  },
  {
    name: 'a message that is wrongly marked as a duplicate',
    plant: async (fixture) => {
      await force(
        fixture,
        `update payloads set is_copy = true where payload_id = (select min(payload_id) from payload_threads)`,
      )
      return [
        ['copy_wrong', /^[0-9A-Za-z_-]{26,36}$/],
        ['thread_wrong', /^[0-9A-Za-z_-]{26,36}$/],
      ]
    },
  },
  {
    name: 'temporary files',
    plant: async (fixture) => {
      await writeOld(join(objectsRoot(fixture), 'parts', 'left.part'))
      return [['upload_left', 'the object store']]
    },
  },
  {
    name: 'account key of another client',
    plant: async (fixture) => {
      await force(
        fixture,
        `update clients set account_key = (select account_key from clients where client = 'acme') where client = 'globex'`,
      )
      return [['key_refused', 'globex']]
    },
  },
  ...DAMAGED_EVIDENCE,
  ...DAMAGED_PHONES,
  ...DAMAGED_RULES,
  ...DAMAGED_RUNS,
  ...DAMAGED_ACTS,
  ...DAMAGED_SAFEGUARDS,
]
