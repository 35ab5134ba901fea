import type { IngestFixture } from '../testing/ingest-fixture.ts'
import type { SharedDamage } from './damage.test-support.ts'

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
export const DAMAGED_SAFEGUARDS: readonly SharedDamage[] = ALTERED.map(([name, sql, table]) => ({
  name,
  plant: async (fixture: IngestFixture) => {
    await fixture.sql(sql)
    return [['protection_missing', table] as const]
  },
}))
