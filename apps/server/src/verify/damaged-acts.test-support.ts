import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { open, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CERTIFICATE_FORMAT, RECONCILIATION_FORMAT, canonical } from '@custodia/contract'
import { SLOTS } from '../ports/keys/local-file.ts'
import { SIGNING } from '../ports/keys/signing.ts'
import { HALF, HEAD, getPlace, SLOT } from '../ports/keys/slots/layout.ts'
import { damage, force, OF_ACME, type SharedDamage } from './damage.test-support.ts'

/** An entry of the audit log, of a call that was done. */
const entry = (log_id: string, action: string, at: number, status_code: number, parameters: object) => `
  insert into portal_activities (log_id, client_id, user_reference, user_ip, activity_time, action, is_allowed, status_code, parameters, request_id)
  select '${log_id}', client_id, 'alice', '', ${at}, '${action}', true, ${status_code}, '${JSON.stringify(parameters)}', '' from clients where client = 'acme';`
const subject = (target: string) => ({ params: { target_type: 'PortalUser', target } })

/** Damages of records that the audit log says otherwise of. */
export const DAMAGED_ACTS: readonly SharedDamage[] = [
  {
    name: 'a legal hold that is gone with its events, and two that were moved by a day, later and earlier',
    plant: async (fixture) => {
      const at = fixture.ctx.now() - 86_400
      await force(
        fixture,
        `${entry('hold gone', 'account.legal_holds:update', at, 200, subject('gone'))}
         ${entry('hold moved', 'account.legal_holds:update', at, 200, subject('moved'))}
         ${entry('hold moved earlier', 'account.legal_holds:update', at, 200, subject('earlier'))}
         ${entry('hold kept', 'account.legal_holds:update', at, 200, subject('kept'))}
         ${entry('hold again', 'account.legal_holds:update', at + 500, 200, subject('kept'))}
         insert into legal_holds (client_id, target_type, target, is_active, created_at, updated_at, updated_by)
         select client_id, 'PortalUser', target, true, at, at, 'alice' from clients, (values ('moved', ${at + 86_400}), ('earlier', ${at - 86_400}), ('kept', ${at})) v (target, at)
         where client = 'acme';
         insert into legal_hold_events (client_id, target_type, target, act, at, by)
         select client_id, target_type, target, 'set', updated_at, 'alice' from legal_holds where target in ('moved', 'earlier', 'kept')`,
      )
      return [
        ['hold_wrong', 'PortalUser gone'],
        ['hold_wrong', 'PortalUser moved'],
        ['hold_wrong', 'PortalUser earlier'],
        ['audit_entry_wrong', /^hold of PortalUser (?:moved|earlier), set$/],
      ]
    },
  },
  {
    name: 'days of an old version of the retention policy that were changed',
    plant: async (fixture) => {
      const body = (days: number) => ({
        body: { entries: [{ entity_type: 'Payload', payload_type: 'Call', delete_after_days: days }] },
      })
      await force(
        fixture,
        `insert into retention_policies (client_id, policy_version, entries, minimums, applies_to_kept, at, by)
         select client_id, n, jsonb_build_array(jsonb_build_object('entity_type', 'Payload', 'payload_type', 'Call', 'delete_after_days', days)), '[]',
           false, at, 'alice' from clients, (values (1, 365, 5), (2, 100, 5000)) v (n, days, at) where client = 'acme';
         ${entry('policy changed', 'account.retention:update', 5, 200, body(3650))}
         ${entry('policy kept', 'account.retention:update', 5000, 200, body(100))}`,
      )
      return [['retention_wrong', 'entry policy changed']]
    },
  },
  damage(
    'a proposal by another person than the audit log says',
    `insert into proposals (client_id, proposal_id, kind, subject, act, basis, state, proposed_at, proposed_by, decided_at)
         select client_id, 'proposal ' || by, 'RequireTwoPeople', by, '{}', '{}', 'expired', at, by, at + 1 from clients,
           (values ('bob', 1000), ('alice', 9000)) v (by, at) where client = 'acme';
         ${entry('proposed', 'account.two_people:update', 1000, 202, {})}
         ${entry('proposed and kept', 'account.two_people:update', 9000, 202, {})}`,
    [
      ['proposal_wrong', 'entry proposed'],
      ['audit_entry_wrong', 'proposal proposal bob'],
    ],
  ),
  {
    name: 'a data subject request that was received, or is due, at another time than was entered',
    plant: async (fixture) => {
      const day = 86_400
      // Received a day late, so the legal and the displayed due dates are a day late too.
      await force(
        fixture,
        `insert into data_requests (client_id, data_request_id, kind, law, subject_type, subject, received_at, due_at, opened_at, opened_by, state)
         select client_id, 'dated ' || n, 'Copy', law, 'Number', '1', received, due, n * 1000 + 200000, 'alice', 'Open' from clients,
           (values (1, 'LGPD', ${2 * day}, ${16 * day}), (2, 'GDPR', ${day}, ${33 * day}), (3, 'GDPR', ${day}, ${32 * day}), (4, 'GDPR', ${day}, ${40 * day}))
             v (n, law, received, due) where client = 'acme';
         ${[1, 2, 3, 4]
           .map((n) =>
             entry(`dated ${n}`, 'account.data_requests:create', n * 1000 + 200_000, 200, {
               body: { kind: 'Copy', received_at: day, subject: '…', ...(n === 4 && { due_at: 40 * day }) },
             }),
           )
           .join('\n')}`,
      )
      return [1, 2].map((n) => ['request_wrong', `dated ${n}`] as const)
    },
  },
  {
    name: 'audit entries that were removed, or attributed to another person or act',
    plant: async (fixture) => {
      const at = fixture.ctx.now() - 86_400
      const by = (n: number) => (n === 2 ? 'bob' : 'alice')
      await force(
        fixture,
        `insert into payload_audit (client_id, payload_id, at, log_id, portal_user, action)
         select client_id, payload_id, ${at}, 'attributed ' || n, case n when 2 then 'bob' else 'alice' end, case n when 3 then 'payloads:download' else 'payloads:read' end
         from (select * from payloads where ${OF_ACME} order by payload_id limit 1) p, generate_series(1, 3) n;
         ${[1, 2, 3].map((n) => entry(`attributed ${n}`, 'payloads:read', at, 200, {})).join('\n')}
         insert into legal_holds (client_id, target_type, target, is_active, created_at, updated_at, updated_by)
         select client_id, 'PortalUser', 'unlogged ' || n, true, ${at}, ${at}, case n when 2 then 'bob' else 'alice' end from clients, generate_series(1, 3) n
         where client = 'acme';
         insert into legal_hold_events (client_id, target_type, target, act, at, by)
         select client_id, target_type, target, 'set', updated_at, updated_by from legal_holds where target like 'unlogged %';
         insert into alerts (client_id, alert_reference, alert_scope, alert_type, alert_subject, alert_key, alert_message, alert_state, alert_severity,
           first_occurrence, last_occurrence, cleared_at, cleared_by)
         select client_id, 'cleared by ' || by, 'sec', 'AccountAlert', '', by, '', 'Cleared', 'High', 1, 1, ${at}, by from clients, unnest('{alice,bob}'::text[]) by
         where client = 'acme';
         ${entry('cleared', 'alerts:clear', at, 200, {})}
         ${[1, 2].map((n) => entry(`hold of ${by(n)}`, 'account.legal_holds:update', at, 200, subject(`unlogged ${n}`))).join('\n')}`,
      )
      return [
        ['audit_entry_wrong', 'attributed 2'],
        ['audit_entry_wrong', 'attributed 3'],
        ['audit_entry_wrong', 'hold of PortalUser unlogged 2, set'],
        ['audit_entry_wrong', 'alert cleared by bob'],
      ]
    },
  },
  {
    name: 'flipped bit in the signing key',
    plant: async ({ ctx }) => {
      const folder = join(ctx.config.dataDir, 'keys', SIGNING)
      const file = join(folder, (await readdir(folder)).toSorted().at(-1) ?? '')
      const content = JSON.parse(await readFile(file, 'utf8')) as { sealed: string }
      const sealed = Buffer.from(content.sealed, 'base64')
      sealed[sealed.length - 20] = (sealed.at(-20) ?? 0) ^ 1
      await writeFile(file, JSON.stringify({ ...content, sealed: sealed.toString('base64') }))
      return [['key_refused', 'signing key']]
    },
  },
]

/** Damages of destruction and delivery records, and of erased keys. */
export const DAMAGED_EVIDENCE: readonly SharedDamage[] = [
  {
    name: 'an altered certificate of destruction, and a run without one',
    plant: async (fixture) => {
      const { ctx } = fixture
      const [client] = await fixture.sql<{ client_id: number }>(
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
      const { key_id, signature } = await ctx.keys.sign(Buffer.from(body))
      await force(
        fixture,
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
    name: 'certificates of destruction that are missing or different in the key ledger, or only there',
    plant: async (fixture) => {
      const { ctx } = fixture
      const [client] = await fixture.sql<{ client_id: number }>(
        `select client_id from clients where client = 'acme'`,
      )
      const references = [1, 2, 3, 4].map((n) => `01JD5X3V8Q2M4N6P7R9S0T1V4${n}`)
      for (const [n, reference] of references.entries()) {
        const facts = { part: 1, parts: 1, began_at: 1, ended_at: 2, issued_at: 3 }
        const run = { client: 'acme', run: reference, certificate_reference: reference, ...facts }
        const body = canonical({ format: CERTIFICATE_FORMAT, ...run, payloads: [] })
        const { key_id, signature } = await ctx.keys.sign(Buffer.from(body))
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
        if (n > 0) await ctx.keys.ledger.append([JSON.stringify(line)])
        if (n === 2) continue
        await force(
          fixture,
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
    name: 'destruction runs of a lost database with lines in no certificate',
    plant: async (fixture) => {
      // The last one has nothing to certify.
      await force(
        fixture,
        `insert into destruction_runs (client_id, run_id, began_at, ended_at)
         select client_id, 'lost ' || n, 1, 2 from clients, generate_series(1, 2) n where client = 'acme';
         insert into destruction_ledger (client_id, payload_id, payload_reference, run_id, type, payload_time, announced_at, deleted_at, deleted_from,
           destroyed_at, destroyed_by, digests, policy_version, rule, gates, people_checked, holds_ended, keys, replayed_at)
         select client_id, -7, 'lost', 'lost 1', 1, 1, 1, 1, 5, 1, 'unknown', '[]', 1, '{}', '{}', 0, 0, 0, 1 from clients where client = 'acme';
         insert into destruction_ends (client_id, payload_id, ended_at, objects) select client_id, -7, 1, 0 from clients where client = 'acme'`,
      )
      return [['certificate_wrong', 'run lost 1']]
    },
  },
  {
    name: 'reconciliations that were altered, have no predecessor, or contradict the delivery entries',
    plant: async (fixture) => {
      const { ctx } = fixture
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
        const { key_id, signature } = await ctx.keys.sign(Buffer.from(body))
        const kept = n === 1 ? body.replace('"issued_at":1', '"issued_at":2') : body
        values.push(
          `('${reference}', 'day${n}', ${version}, ${n === 4 ? 5 : delivered}, ${n === 4 ? 5 : 0}, '${key_id}', '${kept}', '${signature.toString('hex')}')`,
        )
      }
      await force(
        fixture,
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
    name: 'an epoch key that was not erased, and a slot that was not wiped',
    plant: async ({ ctx }) => {
      const slots = join(ctx.config.dataDir, 'keys', SLOTS)
      await writeFile(join(slots, 'epoch-000001.key'), JSON.stringify({ made_at: 1, sealed: '' }), {
        mode: 0o600,
      })
      const name = await ctx.keys.put(randomBytes(32), { client: 'acme', purpose: 'dek', reference: 'x' })
      await ctx.keys.forget([name])
      const { segment, index } = getPlace(name)
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
    name: 'a key ledger that was shortened, and one with more destructions than the database',
    plant: async (fixture) => {
      const { ledger } = fixture.ctx.keys
      const { file, bytes, hash } = await ledger.append(['{"client":"acme","payload_reference":"unknown"}'])
      await force(fixture, `insert into destruction_files values ('${file}', ${bytes + 1}, '${hash}')`)
      const [row] = await fixture.sql<{ payload_reference: string }>(
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
]
