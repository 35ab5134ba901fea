import { RETAINED_KINDS, SELF_EXPIRING_KINDS } from '../retention/store.ts'
import { damage, force, type SharedDamage } from './damage.test-support.ts'

const DESTROYS = [...RETAINED_KINDS, ...SELF_EXPIRING_KINDS].map(({ action }) => action)

/** Damages of policies, holds, what two people decide, and requests of people. */
export const DAMAGED_RULES: readonly SharedDamage[] = [
  damage(
    'policy versions out of order, and a lowered minimum',
    `insert into retention_policies (client_id, policy_version, entries, minimums, applies_to_kept, at, by)
         select client_id, n, '[]', minimums::jsonb, false, at, 'alice' from clients, (values
           (900, '[{"payload_type": "Call", "days": 10, "legal_basis": "Law"}]', 10),
           (901, '[{"payload_type": "Call", "days": 9, "legal_basis": "Law"}]', 10), (902, '[]', 11), (903, '[]', 10)) v (n, minimums, at)
         where client = 'acme'`,
    [900, 901, 902, 903].map((n) => ['retention_wrong', `version ${n}`] as const),
  ),
  damage(
    'legal holds that contradict their events, and events out of order',
    `insert into legal_holds (client_id, target_type, target, is_active, created_at, updated_at, updated_by)
         select client_id, 'PortalUser', 'hold ' || n, n <> 2, 1, 3, 'alice' from clients, generate_series(1, 6) n where client = 'acme';
         insert into legal_hold_events (client_id, target_type, target, act, at, by, reason_id)
         select client_id, 'PortalUser', 'hold ' || n, act, at, by, 'none' from clients, (values
           (2, 'set', 3, 'alice'), (3, 'set', 1, 'alice'), (3, 'released', 3, 'alice'), (4, 'set', 1, 'alice'), (4, 'set', 3, 'alice'),
           (5, 'set', 3, 'bob'), (6, 'set', 1, 'alice'), (6, 'released', 4, 'alice'), (6, 'set', 3, 'alice')) v (n, act, at, by)
         where client = 'acme'`,
    [
      ...[1, 2, 3, 4, 5, 6].map((n) => ['hold_wrong', `PortalUser hold ${n}`] as const),
      ['audit_entry_wrong', /^hold of PortalUser hold \d, /],
    ],
  ),
  damage(
    'legal matters without holds, closed matters with people, and holds without a matter',
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
    [
      ['hold_wrong', 'PortalUser matter 1'],
      ['hold_wrong', 'open PortalUser matter 2'],
      ['hold_wrong', 'closed PortalUser matter 3'],
      ['audit_entry_wrong', /^hold of PortalUser matter \d, /],
    ],
  ),
  damage(
    'a release by one user under dual control, and confirmations without an approval',
    `insert into dual_control_versions (client_id, version, is_required, at, by, confirmed_by)
         select client_id, 1, true, 9000000000, 'alice', 'ines' from clients where client = 'acme';
         insert into legal_holds (client_id, target_type, target, is_active, created_at, updated_at, updated_by)
         select client_id, 'PortalUser', 'two ' || n, false, 1, 9000000001, 'alice' from clients, generate_series(1, 2) n where client = 'acme';
         insert into legal_hold_events (client_id, target_type, target, act, at, by, reason_id, confirmed_by)
         select client_id, 'PortalUser', 'two ' || n, act, at, 'alice', 'none', second from clients, (values
           (1, 'set', 1, null), (1, 'released', 9000000001, null), (2, 'set', 1, null), (2, 'released', 9000000001, 'ines')) v (n, act, at, second) where client = 'acme'`,
    [
      ['proposal_wrong', 'PortalUser two 1'],
      ['proposal_wrong', 'PortalUser two 2'],
      ['proposal_wrong', 'two-person rule 1'],
      ['audit_entry_wrong', /^hold of PortalUser two \d, /],
    ],
  ),
  damage(
    'data subject requests with a wrong subject, closed before they were opened, or copied after closing',
    `insert into data_requests (client_id, data_request_id, kind, law, subject_type, subject, device_user_id, received_at, opened_at, opened_by,
           state, closed_at, closed_by, reason_id)
         select c.client_id, 'request ' || n, 'Copy', 'GDPR', case when n = 1 then 'DeviceUser' else 'Number' end, 'request ' || n,
           case when n = 1 then (select min(device_user_id) from device_users u where u.client_id = c.client_id) end,
           1, 1000, 'alice', case when n in (2, 3) then 'Answered' else 'Open' end, case n when 2 then 999 when 3 then 2000 end,
           case when n in (2, 3) then 'alice' end, case when n in (2, 3) then 'none' end
         from clients c, generate_series(1, 3) n where client = 'acme';
         insert into data_request_copies (client_id, data_request_id, export_id, made_at, made_by, items, refused, is_cut)
         select client_id, 'request 3', 'export', 2061, 'alice', 1, 0, false from clients where client = 'acme'`,
    [
      ...[1, 2, 3].map((n) => ['request_wrong', `request ${n}`] as const),
      ['audit_entry_wrong', /^data subject request request \d$/],
    ],
  ),
  {
    name: 'records destroyed before any policy permitted it',
    plant: async (fixture) => {
      await force(
        fixture,
        `insert into portal_activities (log_id, client_id, user_reference, user_ip, activity_time, action, is_allowed, parameters, request_id)
         select 'early ' || action, client_id, 'retention (system)', '', n.at, action, true,
           json_build_object('body', json_build_object('until', n.at - 3600, 'destroyed', 1))::text, 'early ' || action
         from clients, unnest(string_to_array('${DESTROYS.join(',')}', ',')) action, (select extract(epoch from now())::bigint as at) n
         where client = 'acme'`,
      )
      return DESTROYS.map((action) => ['retention_early', `entry early ${action}`] as const)
    },
  },
]
