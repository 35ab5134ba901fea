import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CERTIFICATE_FORMAT, RECONCILIATION_FORMAT } from '@custodia/contract'
import { canonical } from '../ports/keys/canonical.ts'
import { SLOTS } from '../ports/keys/local-file.ts'
import { HALF, HEAD, placeOf, SLOT } from '../ports/keys/slots/layout.ts'
import { OWN_KINDS, RETAINED_KINDS } from '../retention/store.ts'
import type { IngestWorld } from '../testing/ingest-world.ts'
import type { Check } from './checks.ts'
import { force, objectsRoot, writeOld } from './damage.test-support.ts'

const DESTROYS = [...RETAINED_KINDS, ...OWN_KINDS].map(({ action }) => action)

const OF_ACME = `client_id = (select client_id from clients where client = 'acme')`

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
         update payload_totals set count = count + 1 where grain = 'm' and service = 4;
         update payload_group_months set d31 = d31 + 1 where service = 4 and client_id = (select client_id from clients where client = 'acme');
         update payload_group_years set m12 = m12 + 1 where service = 4 and client_id = (select client_id from clients where client = 'acme');
         update payload_metrics set last_occurrence = last_occurrence + 1 where type = 8 and scope = 'w' and client_id = (select client_id from clients where client = 'acme');
         update fleet_counts set count = count + 1 where kind = 'u' and client_id = (select client_id from clients where client = 'acme');
         update fleet_totals set count = count + 1 where kind = 'u' and client_id = (select client_id from clients where client = 'acme')`,
      )
      return [
        ['counts_wrong', /^photos of \d{4}-\d\d-\d\d in group/],
        ['counts_wrong', /^service 4 at \d+ in group/],
        ['counts_wrong', /^service 4, type 8 at \d+ in group/],
        ['totals_wrong', /^photos of \d{4}-\d\d$/],
        ['metrics_wrong', /^type 8 of device \d+ in group \d+ at w \d+$/],
        ['fleet_wrong', /^device users as onboarded in group \d+$/],
        ['fleet_wrong', /^device users as onboarded$/],
      ]
    },
  },
  {
    name: 'licences that nobody uses, and a device that is granted what nobody gave it',
    plant: async (world) => {
      await force(
        world,
        `insert into license_use select client_id, 'videos', 0, 1 from clients where client = 'acme'
           on conflict (client_id, service, slot) do update set count = license_use.count + 1;
         update devices set granted_services = granted_services || '{gps}' where device_id = (select min(device_id) from devices)`,
      )
      return [
        ['licenses_wrong', 'videos'],
        ['licenses_wrong', 'gps'],
        ['licenses_wrong', /^[0-9A-Z]{26}$/],
      ]
    },
  },
  {
    name: 'a certificate of destruction that was altered, and a run without one',
    plant: async (world) => {
      const { house } = world
      const [client] = await world.sql<{ client_id: number }>(
        `select client_id from clients where client = 'acme'`,
      )
      const run = { client: 'acme', part: 1, parts: 1, began_at: 1, ended_at: 2, issued_at: 3, payloads: [] }
      const reference = '01JD5X3V8Q2M4N6P7R9S0T1V2W'
      const body = canonical({
        format: CERTIFICATE_FORMAT,
        run: reference,
        certificate_reference: reference,
        ...run,
      })
      const { key_id, signature } = await house.keys.sign(Buffer.from(body))
      await force(
        world,
        `insert into destruction_runs (client_id, run_id, began_at, ended_at, payloads) values (${client?.client_id}, '${reference}', 1, 2, 7);
         insert into destruction_certificates (client_id, certificate_reference, run_id, part, parts, payloads, began_at, ended_at, issued_at, key_id, checksum, body, signature)
         values (${client?.client_id}, '${reference}', '${reference}', 1, 1, 0, 1, 2, 3, '${key_id}', '', '${body.replace('"began_at":1', '"began_at":0')}', decode('${signature.toString('hex')}', 'hex'))`,
      )
      return [
        ['certificate_wrong', reference],
        ['certificate_wrong', `run ${reference}`],
      ]
    },
  },
  {
    name: 'certificates of destruction that the ledger beside the keys lacks, has otherwise, or has alone',
    plant: async (world) => {
      const { house } = world
      const [client] = await world.sql<{ client_id: number }>(
        `select client_id from clients where client = 'acme'`,
      )
      const references = [1, 2, 3, 4].map((n) => `01JD5X3V8Q2M4N6P7R9S0T1V4${n}`)
      for (const [n, reference] of references.entries()) {
        const facts = { part: 1, parts: 1, began_at: 1, ended_at: 2, issued_at: 3 }
        const run = { client: 'acme', run: reference, certificate_reference: reference, ...facts }
        const body = canonical({ format: CERTIFICATE_FORMAT, ...run, payloads: [] })
        const { key_id, signature } = await house.keys.sign(Buffer.from(body))
        // The last one is as it should be.
        const line = {
          client: 'acme',
          certificate_reference: reference,
          run_id: reference,
          ...facts,
          payloads: 0,
          key_id,
          checksum: '',
          body: n === 1 ? body.replace('"began_at":1', '"began_at":0') : body,
          signature: signature.toString('base64'),
        }
        if (n > 0) await house.keys.ledger.append([JSON.stringify(line)])
        if (n === 2) continue
        await force(
          world,
          `insert into destruction_runs (client_id, run_id, began_at, ended_at, payloads) values (${client?.client_id}, '${reference}', 1, 2, 0);
           insert into destruction_certificates (client_id, certificate_reference, run_id, part, parts, payloads, began_at, ended_at, issued_at, key_id, checksum, body, signature)
           values (${client?.client_id}, '${reference}', '${reference}', 1, 1, 0, 1, 2, 3, '${key_id}', '', '${body}', decode('${line.signature}', 'base64'));
           insert into destruction_certificate_files values (${client?.client_id}, '${reference}', 'f')`,
        )
      }
      return references.slice(0, 3).map((reference) => ['certificate_wrong', reference] as const)
    },
  },
  {
    name: 'runs of a database that was lost, of which lines are in no certificate',
    plant: async (world) => {
      // The one behind has nothing to certify.
      await force(
        world,
        `insert into destruction_runs (client_id, run_id, began_at, ended_at)
         select client_id, 'lost ' || n, 1, 2 from clients, generate_series(1, 2) n where client = 'acme';
         insert into destruction_ledger (client_id, payload_id, payload_reference, run_id, type, payload_time, announced_at, deleted_at, deleted_from,
           destroyed_at, destroyed_by, digests, policy_version, rule, gates, people_checked, holds_ended, keys, replayed_at)
         select client_id, -7, 'lost', 'lost 1', 1, 1, 1, 1, 5, 1, 'nobody', '[]', 1, '{}', '{}', 0, 0, 0, 1 from clients where client = 'acme';
         insert into destruction_ends (client_id, payload_id, ended_at, objects) select client_id, -7, 1, 0 from clients where client = 'acme'`,
      )
      return [['certificate_wrong', 'run lost 1']]
    },
  },
  {
    name: 'reconciliations that were altered, follow nothing, or tell of what was not entered',
    plant: async (world) => {
      const { house } = world
      const values = []
      for (const n of [1, 2, 3, 4]) {
        const reference = `01JD5X3V8Q2M4N6P7R9S0T1V3${n}`
        const version = n === 2 ? 2 : 1
        const delivered = n === 3 ? 1 : 0
        const body = canonical({
          format: RECONCILIATION_FORMAT,
          client: 'acme',
          reconciliation_reference: reference,
          transfer_config_reference: `day${n}`,
          payload_date: '1970-01-02',
          version,
          payload_types: ['Call'],
          captured: delivered,
          delivered,
          missing: 0,
          reasons: [],
          issued_at: 1,
          delivered_sha256: '0'.repeat(64),
          missing_sha256: '0'.repeat(64),
          missing_payloads: [],
          replaces: null,
        })
        const { key_id, signature } = await house.keys.sign(Buffer.from(body))
        const kept = n === 1 ? body.replace('"issued_at":1', '"issued_at":2') : body
        values.push(
          `('${reference}', 'day${n}', ${version}, ${n === 4 ? 5 : delivered}, ${n === 4 ? 5 : 0}, '${key_id}', '${kept}', '${signature.toString('hex')}')`,
        )
      }
      await force(
        world,
        `insert into transfer_reconciliations (client_id, reconciliation_reference, transfer_config_reference, payload_date, version, payload_types,
           captured, delivered, missing, reasons, issued_at, key_id, checksum, body, signature)
         select client_id, reference, config, 86400, version, '{Call}', captured, captured - missing, missing, '[]', 1, key_id, '', body,
           decode(signature, 'hex')
         from clients, (values ${values.join()}) v (reference, config, version, captured, missing, key_id, body, signature) where client = 'acme'`,
      )
      return [1, 2, 3, 4].map(
        (n) => ['reconciliation_wrong', `reconciliation 01JD5X3V8Q2M4N6P7R9S0T1V3${n}`] as const,
      )
    },
  },
  {
    name: 'an epoch key that nobody has erased, and a slot that was not wiped',
    plant: async ({ house }) => {
      const slots = join(house.config.dataDir, 'keys', SLOTS)
      await writeFile(join(slots, 'epoch-000001.key'), JSON.stringify({ made_at: 1, sealed: '' }), {
        mode: 0o600,
      })
      const name = await house.keys.put(randomBytes(32), { client: 'acme', purpose: 'dek', reference: 'x' })
      await house.keys.forget([name])
      const { segment, index } = placeOf(name)
      const file = await open(join(slots, `${segment}.slots`), 'r+')
      await file.write(randomBytes(HALF), 0, HALF, index * SLOT + HEAD)
      await file.close()
      return [
        ['epoch_old', 'the keystore'],
        ['slot_unwiped', 'the keystore'],
      ]
    },
  },
  {
    name: 'a ledger beside the keys that was shortened, and one that knows of more destructions',
    plant: async (world) => {
      const { ledger } = world.house.keys
      const { file, bytes, hash } = await ledger.append(['{"client":"acme","payload_reference":"nobody\'s"}'])
      await force(world, `insert into destruction_files values ('${file}', ${bytes + 1}, '${hash}')`)
      const [row] = await world.sql<{ payload_reference: string }>(
        `select min(payload_reference) as payload_reference from payloads join clients using (client_id) where client = 'acme'`,
      )
      assert.ok(row)
      await ledger.append([JSON.stringify({ client: 'acme', ...row })])
      return [
        ['ledger_wrong', `${file}.ledger`],
        ['ledger_wrong', row.payload_reference],
      ]
    },
  },
  {
    name: 'a message that is said to have been brought again',
    plant: async (world) => {
      await force(
        world,
        `update payloads set is_copy = true where payload_id = (select min(payload_id) from payload_threads)`,
      )
      return [
        ['copy_wrong', /^[0-9A-Za-z_-]{26,36}$/],
        ['thread_wrong', /^[0-9A-Za-z_-]{26,36}$/],
      ]
    },
  },
  {
    name: 'a holder that the history does not know',
    plant: async (world) => {
      await force(
        world,
        `update device_history set to_at = from_at where to_at is null and device_id = (select min(device_id) from devices)`,
      )
      return [['holder_wrong', /^[0-9A-Z]{26}$/]]
    },
  },
  {
    name: 'a number that two devices had',
    plant: async (world) => {
      await force(
        world,
        `insert into device_numbers (client_id, device_id, phone_number, slot_index, from_at, to_at)
         select client_id, device_id, '+441', 0, 10, 30 from devices where device_id = (select min(device_id) from devices)
         union all select client_id, device_id, '+441', 0, 20, 40 from devices where device_id = (select min(device_id) from devices)`,
      )
      return [['number_doubled', /^[0-9A-Z]{26}$/]]
    },
  },
  {
    name: 'commands to nobody, and one that ended before it was sent',
    plant: async (world) => {
      await force(
        world,
        `insert into device_commands (client_id, command_reference, device_id, group_id, command, params, state, raised_by, sent_at, completed_at)
         select client_id, '01J000000000000000000000C' || n, case n when 1 then 0 else device_id end, case n when 2 then 0 else group_id end,
           'sync_data', '{}', 'Completed', 'x', 5, case n when 3 then 4 else 6 end
         from (select * from devices order by device_id limit 1) d, generate_series(1, 3) n`,
      )
      return [1, 2, 3].map((n) => ['report_wrong', `command 01J000000000000000000000C${n}`] as const)
    },
  },
  {
    name: 'policies that do not follow each other, and a minimum that fell',
    plant: async (world) => {
      await force(
        world,
        `insert into retention_policies (client_id, policy_version, entries, minimums, applies_to_kept, at, by)
         select client_id, n, '[]', minimums::jsonb, false, at, 'alice' from clients, (values
           (900, '[{"payload_type": "Call", "days": 10, "legal_basis": "Law"}]', 10),
           (901, '[{"payload_type": "Call", "days": 9, "legal_basis": "Law"}]', 10), (902, '[]', 11), (903, '[]', 10)) v (n, minimums, at)
         where client = 'acme'`,
      )
      return [900, 901, 902, 903].map((n) => ['retention_wrong', `version ${n}`] as const)
    },
  },
  {
    name: 'holds that say otherwise than their events, and events that do not follow each other',
    plant: async (world) => {
      await force(
        world,
        `insert into legal_holds (client_id, target_type, target, is_active, created_at, updated_at, updated_by)
         select client_id, 'PortalUser', 'hold ' || n, n <> 2, 1, 3, 'alice' from clients, generate_series(1, 5) n where client = 'acme';
         insert into legal_hold_events (client_id, target_type, target, act, at, by, reason_id)
         select client_id, 'PortalUser', 'hold ' || n, act, at, by, 'none' from clients, (values
           (2, 'set', 3, 'alice'), (3, 'set', 1, 'alice'), (3, 'released', 3, 'alice'), (4, 'set', 1, 'alice'), (4, 'set', 3, 'alice'),
           (5, 'set', 3, 'bob'), (6, 'set', 3, 'alice'), (7, 'set', 1, 'alice'), (7, 'released', 4, 'alice'), (7, 'set', 3, 'alice')) v (n, act, at, by)
         where client = 'acme'`,
      )
      return [1, 2, 3, 4, 5, 6, 7].map((n) => ['hold_wrong', `PortalUser hold ${n}`] as const)
    },
  },
  {
    name: 'matters that hold nobody, or people when they are closed, and holds of no matter',
    plant: async (world) => {
      await force(
        world,
        `insert into legal_holds (client_id, target_type, target, is_active, is_own, created_at, updated_at, updated_by)
         select client_id, 'PortalUser', 'matter ' || n, n <> 2, n = 3, 1, 3, 'alice' from clients, generate_series(1, 3) n where client = 'acme';
         insert into legal_hold_events (client_id, target_type, target, act, at, by, reason_id)
         select client_id, 'PortalUser', 'matter ' || n, act, at, 'alice', 'none' from clients, (values
           (1, 'set', 3), (2, 'set', 1), (2, 'released', 3), (3, 'set', 3)) v (n, act, at) where client = 'acme';
         insert into legal_matters (client_id, matter_id, name, opened_at, opened_by, updated_at, updated_by, closed_at, closed_by, closed_reason_id)
         select client_id, m, m, 1, 'alice', 1, 'alice', closed, case when closed is not null then 'alice' end, case when closed is not null then 'none' end
         from clients, (values ('open', null::int), ('closed', 2)) v (m, closed) where client = 'acme';
         insert into legal_matter_people (client_id, matter_id, target_type, target, added_at, added_by)
         select client_id, m, 'PortalUser', 'matter ' || n, 1, 'alice' from clients, (values ('open', 2), ('closed', 3)) v (m, n) where client = 'acme'`,
      )
      return [
        ['hold_wrong', 'PortalUser matter 1'],
        ['hold_wrong', 'open PortalUser matter 2'],
        ['hold_wrong', 'closed PortalUser matter 3'],
      ]
    },
  },
  {
    name: 'a release by one person where two had to, and second people who confirmed nothing',
    plant: async (world) => {
      await force(
        world,
        `insert into two_people_versions (client_id, version, is_required, at, by, confirmed_by)
         select client_id, 1, true, 9000000000, 'alice', 'ines' from clients where client = 'acme';
         insert into legal_holds (client_id, target_type, target, is_active, created_at, updated_at, updated_by)
         select client_id, 'PortalUser', 'two ' || n, false, 1, 9000000001, 'alice' from clients, generate_series(1, 2) n where client = 'acme';
         insert into legal_hold_events (client_id, target_type, target, act, at, by, reason_id, confirmed_by)
         select client_id, 'PortalUser', 'two ' || n, act, at, 'alice', 'none', second from clients, (values
           (1, 'set', 1, null), (1, 'released', 9000000001, null), (2, 'set', 1, null), (2, 'released', 9000000001, 'ines')) v (n, act, at, second) where client = 'acme'`,
      )
      return [
        ['proposal_wrong', 'PortalUser two 1'],
        ['proposal_wrong', 'PortalUser two 2'],
        ['proposal_wrong', 'two-person rule 1'],
      ]
    },
  },
  {
    name: 'requests of people that are about somebody else, ended before they came, or were copied when they had ended',
    plant: async (world) => {
      await force(
        world,
        `insert into data_requests (client_id, data_request_id, kind, law, subject_type, subject, device_user_id, received_at, opened_at, opened_by,
           state, closed_at, closed_by, reason_id)
         select c.client_id, 'request ' || n, 'Copy', 'GDPR', case when n = 1 then 'DeviceUser' else 'Number' end, 'request ' || n,
           case when n = 1 then (select min(device_user_id) from device_users u where u.client_id = c.client_id) end,
           1, 1000, 'alice', case when n in (2, 3) then 'Answered' else 'Open' end, case n when 2 then 999 when 3 then 2000 end,
           case when n in (2, 3) then 'alice' end, case when n in (2, 3) then 'none' end
         from clients c, generate_series(1, 3) n where client = 'acme';
         insert into data_request_copies (client_id, data_request_id, export_id, made_at, made_by, items, refused, is_cut)
         select client_id, 'request 3', 'export', 2061, 'alice', 1, 0, false from clients where client = 'acme'`,
      )
      return [1, 2, 3].map((n) => ['request_wrong', `request ${n}`] as const)
    },
  },
  {
    name: 'an enrolment that counts more phones than came',
    plant: async (world) => {
      await force(
        world,
        `insert into enrolments (client_id, enrolment_reference, secret_hash, uses, created_at, created_by, expires_at)
         select client_id, 'counted wrongly', '', 1, 0, 'test', 1 from clients where client = 'acme'`,
      )
      return [['enrolment_wrong', 'counted wrongly']]
    },
  },
  {
    name: 'gaps in capture that overlap, and one that ended before it began',
    plant: async (world) => {
      await force(
        world,
        `alter table capture_gaps drop constraint capture_gaps_check;
         insert into capture_gaps (client_id, gap_id, device_user_id, group_id, service, reason, from_at, to_at) overriding system value
         select client_id, n, device_user_id, group_id, case n when 903 then 'sms' else 'calls' end, 'no_phone', n, case n when 903 then 5 when 901 then 950 end
         from (select * from device_users where client_id = (select client_id from clients where client = 'acme') order by device_user_id limit 1) u,
           generate_series(901, 903) n`,
      )
      return [902, 903].map((n) => ['capture_wrong', `gap ${n}`] as const)
    },
  },
  {
    name: 'exports that contradict their parts, name what does not exist, or stay past their day',
    plant: async (world) => {
      const now = world.house.now()
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
        world,
        `insert into data_exports (client_id, export_id, made_by, reason, created_at, expires_at, refused, is_cut)
         select client_id, 'wrong ' || n, 'nobody', null, made, made + 86400, refused, false
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
    name: 'transfers that say otherwise than their items, and items that nobody attempted',
    plant: async (world) => {
      // Said to have succeeded, failed, failed in part, succeeded, and succeeded with fewer payloads than it counts.
      await force(
        world,
        `insert into transfer_runs (client_id, transfer_id, transfer_config_reference, transfer_type, transfer_state, created_at, completed_at, report_to,
           payload_count, updated_by)
         select client_id, 'wrong ' || n, 'wrong', case n when 5 then 'Payload' else 'Report' end, state, 1, extract(epoch from now()), 1, 1, 'nobody'
         from clients, (values (1, 'Succeeded'), (2, 'Failed'), (3, 'PartialFail'), (4, 'Succeeded'), (5, 'Succeeded')) v (n, state) where client = 'acme';
         insert into transfer_items (client_id, transfer_id, item, transfer_config_reference, transfer_state, dest_path, transferred_at, encrypted_checksum,
           decrypted_checksum)
         select client_id, 'wrong ' || n, 'item', 'wrong', state, '/', 7, '', '' from clients,
           (values (1, 'Failed'), (2, 'Succeeded'), (3, 'Pending'), (4, 'Succeeded')) v (n, state) where client = 'acme';
         insert into transfer_attempts (client_id, transfer_id, item, attempted_at, attempted_by, transfer_state)
         select client_id, transfer_id, item, 7, 'nobody', transfer_state from transfer_items where transfer_id in ('wrong 1', 'wrong 2');
         update transfer_items set transferred_at = null where transfer_id in ('wrong 1', 'wrong 3')`,
      )
      return [
        ...[1, 2, 3, 5].map((n) => ['transfer_wrong', `transfer wrong ${n}`] as const),
        ['transfer_wrong', 'transfer wrong 4 item item'] as const,
      ]
    },
  },
  {
    name: 'deliveries without an entry under their day, and entries that no item bears out',
    plant: async (world) => {
      // Without an entry, entered and never delivered, for another transfer, at another time, under another day, and with another checksum.
      await force(
        world,
        `insert into transfer_runs (client_id, transfer_id, transfer_config_reference, transfer_type, transfer_state, created_at, report_to, updated_by)
         select client_id, 'entered ' || n, 'entered ' || n, 'Payload', 'InProgress', 1, 1, 'nobody' from clients, generate_series(1, 6) n
         where client = 'acme';
         insert into transfer_items (client_id, transfer_id, item, transfer_config_reference, payload_id, transfer_state, dest_path, transferred_at,
           encrypted_checksum, decrypted_checksum)
         select client_id, 'entered ' || n, payload_reference, 'entered ' || n, payload_id, 'Pending', '/', case n when 2 then null else 7 end, '', ''
         from (select * from payloads where ${OF_ACME} order by payload_id limit 1) p, generate_series(1, 6) n;
         insert into transfer_attempts (client_id, transfer_id, item, attempted_at, attempted_by, transfer_state)
         select client_id, transfer_id, item, 7, 'nobody', 'Succeeded' from transfer_items where transfer_id like 'entered %';
         insert into payload_audit (client_id, payload_id, log_id, at, portal_user, action)
         select client_id, payload_id, transfer_id, 7, 'nobody', 'transfers:deliver' from transfer_items where transfer_id like 'entered %';
         insert into portal_activities (log_id, client_id, user_reference, user_ip, activity_time, action, is_allowed, parameters, request_id)
         select transfer_id, client_id, 'nobody', '', 7, 'transfers:deliver', true, '{}', '' from transfer_items where transfer_id like 'entered %';
         insert into transfer_audit (client_id, transfer_config_reference, payload_date, payload_id, transfer_id, transferred_at,
           encrypted_checksum, decrypted_checksum)
         select client_id, transfer_config_reference, payload_time - payload_time % 86400 + case n when 5 then 86400 else 0 end, payload_id,
           case n when 3 then 'entered 1' else transfer_id end, case n when 4 then 8 else 7 end, '', case n when 6 then 'other' else '' end
         from transfer_items join payloads using (client_id, payload_id), lateral (select right(transfer_id, 1)::int as n) x
         where transfer_id like 'entered %' and n > 1`,
      )
      const [payload] = await world.sql<{ payload_reference: string }>(
        `select payload_reference from payloads where ${OF_ACME} order by payload_id limit 1`,
      )
      return [1, 2, 3, 4, 5, 6].map(
        (n) => ['transfer_wrong', `delivery of ${payload?.payload_reference} to entered ${n}`] as const,
      )
    },
  },
  {
    name: 'migrations that say otherwise than their results, and imports that are other than their sources',
    plant: async (world) => {
      // Counted otherwise, by another type, migrated with errors, a dry run that imported, a sample of something else; the one behind is as it should be, the last is settled by nothing.
      await force(
        world,
        `insert into migration_runs (client_id, migration_reference, migration_state, is_dry_run, created_at, created_by, migrated_at, filename, results, sequence, settled_by)
         select client_id, 'wrong ' || n, 'Migrated', n = 4, 1, 'nobody', extract(epoch from now()), 'x.csv', results::jsonb, sequence, case n when 7 then 'nothing' end
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
      const [payload] = await world.sql<{ payload_reference: string }>(
        `select payload_reference from payloads where payload_id in (select payload_id from migration_results where migration_reference = 'wrong 6')`,
      )
      return [
        ...[1, 2, 3, 4, 5, 7].map((n) => ['migration_wrong', `migration wrong ${n}`] as const),
        ['migration_wrong', `payload ${payload?.payload_reference}`] as const,
      ]
    },
  },
  {
    name: 'records destroyed before any policy let them go',
    plant: async (world) => {
      await force(
        world,
        `insert into portal_activities (log_id, client_id, user_reference, user_ip, activity_time, action, is_allowed, parameters, request_id)
         select 'early ' || action, client_id, 'retention (system)', '', n.at, action, true,
           json_build_object('body', json_build_object('until', n.at - 3600, 'destroyed', 1))::text, 'early ' || action
         from clients, unnest(string_to_array('${DESTROYS.join(',')}', ',')) action, (select extract(epoch from now())::bigint as at) n
         where client = 'acme'`,
      )
      return DESTROYS.map((action) => ['retention_early', `entry early ${action}`] as const)
    },
  },
  {
    name: 'logs of nobody',
    plant: async (world) => {
      await force(
        world,
        `insert into device_logs (client_id, device_id, log_id, log_datetime, group_id, device_user_id, log_class, log_level, local_timezone, log_message, received_at)
         select client_id, case n when 1 then 0 else device_id end, 'lost ' || n, 1, case n when 2 then 0 else group_id end,
           case n when 3 then 0 end, 'x', 'INFO', 'UTC', 'x', 1
         from (select * from devices order by device_id limit 1) d, generate_series(1, 4) n`,
      )
      return [1, 2, 3].map((n) => ['report_wrong', `log lost ${n}`] as const)
    },
  },
  {
    name: 'positions of nobody and under foreign keys, and a last one that is none',
    plant: async (world) => {
      await force(
        world,
        `with key as (insert into gps_keys (client_id, device_id, day, created_at)
           select client_id, device_id, 0, 1 from devices order by device_id limit 1 returning *)
         insert into gps_points (client_id, device_id, gps_reference, timestamp, group_id, device_user_id, key_id, sealed, received_at)
         select client_id, case n when 1 then 0 else device_id end, 'lost ' || n, case n when 4 then 86400 else 1 end,
           case n when 2 then 0 else d.group_id end, case n when 3 then 0 end, case n when 5 then 0 else key_id end, '', 1
         from key join devices d using (client_id, device_id), generate_series(1, 6) n;
         insert into gps_latest (client_id, device_id, group_id, timestamp, row_id)
         select client_id, device_id, group_id, 7, 0 from devices order by device_id limit 1`,
      )
      return [
        ...[1, 2, 3, 4, 5].map((n) => ['report_wrong', `position lost ${n}`] as const),
        ['report_wrong', /^last position of device \d+$/] as const,
      ]
    },
  },
  {
    name: 'telemetry of nobody, and newest reports that are not',
    plant: async (world) => {
      await force(
        world,
        `insert into report_keys (client_id, report_key_id, device_id, digest, wrapped_key, made_at)
         select client_id, -7, device_id, '', o.wrapped_dek, 1 from (select * from devices where ${OF_ACME} order by device_id limit 1) d
         cross join (select wrapped_dek from payload_objects where wrapped_dek is not null limit 1) o`,
      )
      await force(
        world,
        `insert into telemetry (client_id, row_id, device_id, telemetry_id, telemetry_time, group_id, device_user_id, facts, has_applications,
           report_key_id, iv, sealed_meta, checksum, received_at)
         select client_id, n, case n when 1 then 0 else device_id end, 'lost ' || n, n, case n when 2 then 0 else group_id end,
           case n when 3 then 0 end, '{}', false, case n when 6 then 0 else -7 end, '', '', '', n
         from (select * from devices where ${OF_ACME} order by device_id limit 1) d, generate_series(1, 6) n`,
      )
      await force(
        world,
        `insert into telemetry_latest (client_id, device_id, at, row_id, telemetry_id, telemetry_time, group_id, facts, received_at)
         select client_id, d.device_id * k, 4, 4, said, 4, group_id, '{}', 4 from (select * from devices where ${OF_ACME} order by device_id limit 1) d,
           (values (1, 'lost 4'), (0, 'gone')) v (k, said)`,
      )
      return [
        ...[1, 2, 3, 6].map((n) => ['report_wrong', `telemetry lost ${n}`] as const),
        ['key_refused', 'report key -7'],
        ['report_wrong', 'newest telemetry lost 4'],
        ['report_wrong', 'newest telemetry gone'],
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
      [
        'a history of holds that may change',
        'alter table legal_hold_events disable trigger kept',
        'legal_hold_events',
      ],
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
      await world.sql(sql)
      return [['protection_missing', table] as const]
    },
  })),
]
