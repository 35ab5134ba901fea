import { force, OF_ACME, type SharedDamage } from './damage.test-support.ts'

/** Damages of exports, transfers and migrations. */
export const DAMAGED_RUNS: readonly SharedDamage[] = [
  {
    name: 'exports that contradict their parts, name unknown payloads, or are past their expiry',
    plant: async (fixture) => {
      const now = fixture.ctx.now()
      // The first is sound.
      const exports = [
        [1, now - 100, 0],
        [2, now - 100_000, 0],
        [3, now - 100, 2],
        [4, now - 100, 0],
        [5, now - 100, 0],
        [6, now - 100, 1],
        [7, now - 100, 0],
      ] as const
      await force(
        fixture,
        `insert into data_exports (client_id, export_id, made_by, reason, created_at, expires_at, refused, is_cut)
         select client_id, 'wrong ' || n, 'unknown', null, made, made + 86400, refused, false
         from clients, (values ${exports.map((row) => `(${row.join()})`).join()}) v (n, made, refused) where client = 'acme';
         insert into data_export_parts (client_id, export_id, part, payload_references, size, fetched_at)
         select client_id, 'wrong ' || n, case n when 4 then 2 else 1 end,
           case n when 5 then '{nothing}' else array[payload_reference] end, 7, case n when 7 then ${now - 200} end
         from (select * from payloads where ${OF_ACME} limit 1) p, generate_series(1, 8) n`,
      )
      return [2, 3, 4, 5, 6, 7, 8].map((n) => ['export_wrong', `export wrong ${n}`] as const)
    },
  },
  {
    name: 'transfers that contradict their items, and items without an attempt',
    plant: async (fixture) => {
      // Wrong states: succeeded, failed, partly failed, succeeded, and succeeded with fewer payloads than its count.
      await force(
        fixture,
        `insert into transfer_runs (client_id, transfer_id, transfer_config_reference, transfer_type, transfer_state, created_at, completed_at, report_to,
           payload_count, updated_by)
         select client_id, 'wrong ' || n, 'wrong', case n when 5 then 'Payload' else 'Report' end, state, 1, extract(epoch from now()), 1, 1, 'unknown'
         from clients, (values (1, 'Succeeded'), (2, 'Failed'), (3, 'PartialFail'), (4, 'Succeeded'), (5, 'Succeeded')) v (n, state) where client = 'acme';
         insert into transfer_items (client_id, transfer_id, item, transfer_config_reference, transfer_state, dest_path, transferred_at, encrypted_checksum,
           decrypted_checksum)
         select client_id, 'wrong ' || n, 'item', 'wrong', state, '/', 7, '', '' from clients,
           (values (1, 'Failed'), (2, 'Succeeded'), (3, 'Pending'), (4, 'Succeeded')) v (n, state) where client = 'acme';
         insert into transfer_attempts (client_id, transfer_id, item, attempted_at, attempted_by, transfer_state)
         select client_id, transfer_id, item, 7, 'unknown', transfer_state from transfer_items where transfer_id in ('wrong 1', 'wrong 2');
         update transfer_items set transferred_at = null where transfer_id in ('wrong 1', 'wrong 3')`,
      )
      return [
        ...[1, 2, 3, 5].map((n) => ['transfer_wrong', `transfer wrong ${n}`] as const),
        ['transfer_wrong', 'transfer wrong 4 item item'] as const,
      ]
    },
  },
  {
    name: 'deliveries without an audit entry under their day, and entries without a matching item',
    plant: async (fixture) => {
      // Without an entry, entered and never delivered, for another transfer, at another time, under another day, and with another checksum.
      await force(
        fixture,
        `insert into transfer_runs (client_id, transfer_id, transfer_config_reference, transfer_type, transfer_state, created_at, report_to, updated_by)
         select client_id, 'entered ' || n, 'entered ' || n, 'Payload', 'InProgress', 1, 1, 'unknown' from clients, generate_series(1, 6) n
         where client = 'acme';
         insert into transfer_items (client_id, transfer_id, item, transfer_config_reference, payload_id, transfer_state, dest_path, transferred_at,
           encrypted_checksum, decrypted_checksum)
         select client_id, 'entered ' || n, payload_reference, 'entered ' || n, payload_id, 'Pending', '/', case n when 2 then null else 7 end, '', ''
         from (select * from payloads where ${OF_ACME} order by payload_id limit 1) p, generate_series(1, 6) n;
         insert into transfer_attempts (client_id, transfer_id, item, attempted_at, attempted_by, transfer_state)
         select client_id, transfer_id, item, 7, 'unknown', 'Succeeded' from transfer_items where transfer_id like 'entered %';
         insert into payload_audit (client_id, payload_id, log_id, at, portal_user, action)
         select client_id, payload_id, transfer_id, 7, 'unknown', 'transfers:deliver' from transfer_items where transfer_id like 'entered %';
         insert into portal_activities (log_id, client_id, user_reference, user_ip, activity_time, action, is_allowed, parameters, request_id)
         select transfer_id, client_id, 'unknown', '', 7, 'transfers:deliver', true, '{}', '' from transfer_items where transfer_id like 'entered %';
         insert into transfer_audit (client_id, transfer_config_reference, payload_date, payload_id, transfer_id, transferred_at,
           encrypted_checksum, decrypted_checksum)
         select client_id, transfer_config_reference, payload_time - payload_time % 86400 + case n when 5 then 86400 else 0 end, payload_id,
           case n when 3 then 'entered 1' else transfer_id end, case n when 4 then 8 else 7 end, '', case n when 6 then 'other' else '' end
         from transfer_items join payloads using (client_id, payload_id), lateral (select right(transfer_id, 1)::int as n) x
         where transfer_id like 'entered %' and n > 1`,
      )
      const [payload] = await fixture.sql<{ payload_reference: string }>(
        `select payload_reference from payloads where ${OF_ACME} order by payload_id limit 1`,
      )
      // All of them lie at `/`, where no payload does.
      return [1, 2, 3, 4, 5, 6].flatMap((n) => [
        ['transfer_wrong', `delivery of ${payload?.payload_reference} to entered ${n}`] as const,
        ...(n === 2
          ? []
          : [['transfer_wrong', `transfer entered ${n} item ${payload?.payload_reference}`] as const]),
      ])
    },
  },
  {
    name: 'migrations that contradict their results, and imports that differ from their sources',
    plant: async (fixture) => {
      // Wrong count, wrong type, migrated with errors, a dry run that imported, a foreign sample, a correct run, and
      // one settled by an unknown run.
      await force(
        fixture,
        `insert into migration_runs (client_id, migration_reference, migration_state, is_dry_run, created_at, created_by, migrated_at, filename, results, sequence, settled_by)
         select client_id, 'wrong ' || n, 'Migrated', n = 4, 1, 'unknown', extract(epoch from now()), 'x.csv', results::jsonb, sequence, case n when 7 then 'nothing' end
         from clients, (values (1, '{"PayloadCreated": {"count": 1}}', 2), (2, '{"GroupAdded": {"count": 1}}', 1), (3, '{"Error": {"count": 1}}', 1),
           (4, '{"PayloadCreated": {"count": 1}}', 1), (5, '{}', 0), (6, '{"PayloadCreated": {"count": 1}}', 1), (7, '{}', 0)) v (n, results, sequence)
         where client = 'acme';
         insert into migration_results (client_id, migration_reference, sequence, result_type, kind, item, filename, payload_id, source_sha256)
         select p.client_id, 'wrong ' || n, 1, result, 'Payload', 'x', 'x.csv', case when n in (4, 6) then p.payload_id end, case n when 6 then 'another' end
         from (select p.* from payloads p join payload_objects o using (client_id, payload_id) where ${OF_ACME} and o.kind = 'original'
             and o.checksum is not null order by p.payload_id limit 1) p,
           (values (1, 'PayloadCreated'), (2, 'PayloadCreated'), (3, 'Error'), (4, 'PayloadCreated'), (6, 'PayloadCreated')) v (n, result);
         insert into migration_samples (client_id, migration_reference, position, payload_id)
         select client_id, 'wrong 5', 1, payload_id from (select * from payloads where ${OF_ACME} limit 1) p;
         update payloads set is_legacy = true where payload_id in (select payload_id from migration_results where migration_reference = 'wrong 6')`,
      )
      const [payload] = await fixture.sql<{ payload_reference: string }>(
        `select payload_reference from payloads where payload_id in (select payload_id from migration_results where migration_reference = 'wrong 6')`,
      )
      return [
        ...[1, 2, 3, 4, 5, 7].map((n) => ['migration_wrong', `migration wrong ${n}`] as const),
        ['migration_wrong', `payload ${payload?.payload_reference}`] as const,
      ]
    },
  },
]
