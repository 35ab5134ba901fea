import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SIGNING } from '../ports/keys/signing.ts'
import { force, type SharedDamage } from './damage.test-support.ts'

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
  {
    name: 'a proposal by another person than the audit log says',
    plant: async (fixture) => {
      await force(
        fixture,
        `insert into proposals (client_id, proposal_id, kind, subject, act, basis, state, proposed_at, proposed_by, decided_at)
         select client_id, 'proposal ' || by, 'RequireTwoPeople', by, '{}', '{}', 'expired', at, by, at + 1 from clients,
           (values ('bob', 1000), ('alice', 9000)) v (by, at) where client = 'acme';
         ${entry('proposed', 'account.two_people:update', 1000, 202, {})}
         ${entry('proposed and kept', 'account.two_people:update', 9000, 202, {})}`,
      )
      return [['proposal_wrong', 'entry proposed']]
    },
  },
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
