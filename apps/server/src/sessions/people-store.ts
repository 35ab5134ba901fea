import {
  type GivenRole,
  type PortalPerson,
  type PortalPersonDetail,
  REVIEWED_PEOPLE,
} from '@custodia/contract'
import { clientColumn } from '../clients/store.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { Membership } from './store.ts'

/** A person as stored: roles that there are not are marked by the caller. */
export type StoredPerson = Omit<PortalPerson, 'roles'> & { roles: GivenRole[] }

export interface PeopleFilter {
  /** Part of reference, name or e-mail address; empty: all. */
  search: string
  role: string | null
  /** Whether they have open sessions; null: either. */
  has_sessions: boolean | null
  /** Whether an assignment with an end gives the access; null: either. */
  is_temporary: boolean | null
  by: 'last_seen' | 'first_seen'
  /** Epoch seconds, `to` exclusive; null: without bound. */
  from: number | null
  to: number | null
  /** Whether people of the embedded provider count who have not signed in. */
  is_embedded: boolean
  /** Epoch seconds. */
  now: number
}

export const ALL_PEOPLE = {
  search: '',
  role: null,
  has_sessions: null,
  is_temporary: null,
  by: 'last_seen',
  from: null,
  to: null,
} as const

const ASSIGNED_ROLES = `(select jsonb_agg(jsonb_build_object('role', r ->> 'role', 'source', 'assignment', 'value', null)) from jsonb_array_elements(a.roles) r)`

/**
 * All people of client $1 as of $3, with the claims of their last session. Of the embedded provider ($2) also those
 * who have not signed in, with the provider's roles.
 */
const PEOPLE = `
  with known as (
    select user_reference from portal_people where client_id = $1
    union select user_reference from portal_sessions where client_id = $1
    union select user_reference from role_assignments where client_id = $1
    union select o.user_reference from oidc_people o join clients c using (client) where c.client_id = $1 and $2
  ), people as (
    select ${clientColumn('$1')}, k.user_reference, coalesce(s.display_name, o.display_name) as display_name, coalesce(s.email, o.email) as email,
      case
        when a.ends_at <= $3 then '[]'
        when (m.is_portal or a.ends_at is not null) and a.roles is not null then ${ASSIGNED_ROLES}
        when s.session_id is null and m.is_portal then '[]'
        when s.session_id is null then coalesce((select jsonb_agg(jsonb_build_object('role', r, 'source', 'claim', 'value', r)) from unnest(o.roles) r), '[]')
        when s.role_sources = '[]' then coalesce((select jsonb_agg(jsonb_build_object('role', r, 'source', 'claim', 'value', r)) from unnest(s.roles) r), '[]')
        else s.role_sources
      end as roles,
      coalesce(s.user_group, o.user_group) as user_group,
      case
        when (m.is_portal or a.ends_at is not null) and a.roles is not null then a.groups
        when s.session_id is null and not m.is_portal then o.groups
        else s.groups
      end as groups,
      case when a.roles is not null then jsonb_build_object('roles', a.roles, 'groups', a.groups, 'ends_at', a.ends_at, 'matters', a.matters) end as assignment,
      least(p.created_at, v.first_session) as first_seen, v.last_seen, coalesce(v.open_sessions, 0) as open_sessions, s.issuer
    from known k
    cross join (select coalesce(claim_mapping ->> 'roles_from', 'claims') = 'portal' as is_portal from clients where client_id = $1) m
    left join role_assignments a on a.client_id = $1 and a.user_reference = k.user_reference
    left join portal_people p on p.client_id = $1 and p.user_reference = k.user_reference
    left join oidc_people o on $2 and o.user_reference = k.user_reference and o.client = (select client from clients where client_id = $1)
    left join lateral (
      select session_id, roles, role_sources, user_group, groups, email, display_name, issuer from portal_sessions
      where client_id = $1 and user_reference = k.user_reference order by created_at desc, session_id desc limit 1
    ) s on true
    left join lateral (
      select min(created_at) as first_session, max(greatest(created_at, rotated_at, checked_at)) as last_seen,
        (count(*) filter (where ended_at is null and expires_at > $3))::int as open_sessions
      from portal_sessions where client_id = $1 and user_reference = k.user_reference
    ) v on true
  )`

const FILTER = `($4 = '' or position(lower($4) in lower(user_reference)) > 0 or position(lower($4) in lower(coalesce(display_name, ''))) > 0
    or position(lower($4) in lower(coalesce(email, ''))) > 0)
  and ($5::text is null or roles @> jsonb_build_array(jsonb_build_object('role', $5::text)))
  and ($6::bool is null or (open_sessions > 0) = $6)
  and ($7::bool is null or (coalesce(assignment ->> 'ends_at', '') <> '') = $7)`
const RANGE = (time: string) =>
  `($8::bigint is null or ${time} >= $8) and ($9::bigint is null or ${time} < $9)`
const COLUMNS =
  'client, user_reference, display_name, email, roles, user_group, groups, assignment, first_seen, last_seen, open_sessions'

const getValues = (q: Queryable, filter: PeopleFilter) => [
  q.client_id,
  filter.is_embedded,
  filter.now,
  filter.search,
  filter.role,
  filter.has_sessions,
  filter.is_temporary,
  filter.from,
  filter.to,
]

/** Cursor of a list of people; a person without a sign-in counts as 0. */
export type PersonPlace = readonly [time: number, user_reference: string]

/** The place of a person in such a list. */
export const getPlace =
  (by: PeopleFilter['by']) =>
  (person: PortalPerson): PersonPlace => [person[by] ?? 0, person.user_reference]

/** People behind a place, by one of their times. */
export function listPeople(
  q: Queryable,
  filter: PeopleFilter,
  page: { after: PersonPlace | undefined; limit: number; isOldestFirst: boolean },
): Promise<StoredPerson[]> {
  const [sign, direction] = page.isOldestFirst ? ['>', 'asc'] : ['<', 'desc']
  return q.rows<StoredPerson>(
    `${PEOPLE} select ${COLUMNS} from people
     where ${FILTER} and ${RANGE(filter.by)}
       and ($10::bigint is null or (coalesce(${filter.by}, 0), user_reference collate "C") ${sign} ($10, $11::text))
     order by coalesce(${filter.by}, 0) ${direction}, user_reference collate "C" ${direction} limit $12`,
    [...getValues(q, filter), ...(page.after ?? [null, null]), page.limit],
  )
}

/** How many people pass the filter. */
export function countPeople(q: Queryable, filter: PeopleFilter): Promise<number> {
  return q.count(
    `${PEOPLE} select count(*)::int as total from people where ${FILTER} and ${RANGE(filter.by)}`,
    getValues(q, filter),
  )
}

/** One person, or undefined. */
export function findPerson(
  q: Queryable,
  user_reference: string,
  { is_embedded, now }: Pick<PeopleFilter, 'is_embedded' | 'now'>,
): Promise<(StoredPerson & Pick<PortalPersonDetail, 'issuer'>) | undefined> {
  return q.row<StoredPerson & Pick<PortalPersonDetail, 'issuer'>>(
    `${PEOPLE} select ${COLUMNS}, issuer from people where user_reference = $4`,
    [q.client_id, is_embedded, now, user_reference],
  )
}

/**
 * The last session of each person who signed in, the newest first. Claims of the provider are read for the first ones
 * only.
 */
export function listLastSessions(q: Queryable) {
  return q.rows<
    Pick<Membership, 'user_reference' | 'display_name' | 'roles' | 'groups'> & {
      provider_tokens: string | null
    }
  >(
    `select user_reference, display_name, roles, groups,
       case when row_number() over (order by created_at desc, session_id) <= $2 then provider_tokens end as provider_tokens
     from (select distinct on (user_reference) * from portal_sessions where client_id = $1
       order by user_reference, created_at desc, session_id desc) s
     order by created_at desc, session_id`,
    [q.client_id, REVIEWED_PEOPLE],
  )
}

/** The open sessions of a person, newest first. */
export function openSessionsOf(
  q: Queryable,
  user_reference: string,
  now: number,
): Promise<Omit<PortalPersonDetail['sessions'][number], 'is_own'>[]> {
  return q.rows<Omit<PortalPersonDetail['sessions'][number], 'is_own'>>(
    `select session_id, created_at, greatest(created_at, rotated_at, checked_at) as last_seen, expires_at, ip from portal_sessions
     where client_id = $1 and user_reference = $2 and ended_at is null and expires_at > $3 order by created_at desc, session_id desc limit 200`,
    [q.client_id, user_reference, now],
  )
}

/** Ends a person's session. Undefined: no such open session; else the stored tokens of its provider. */
export function endSessionOf(
  tx: Tx,
  user_reference: string,
  session_id: string,
  now: number,
): Promise<{ provider_tokens: string | null } | undefined> {
  return tx.row<{ provider_tokens: string | null }>(
    `update portal_sessions set ended_at = $4, end_reason = 'ended_by_administrator'
     where client_id = $1 and user_reference = $2 and session_id = $3 and ended_at is null returning provider_tokens`,
    [tx.client_id, user_reference, session_id, now],
  )
}
