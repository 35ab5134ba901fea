import type { StaffMember } from '@custodia/contract'
import type { Database } from '../ports/database/pool.ts'

// Sessions are read without a tenant: they are infrastructure.
const OF_SESSIONS = `
  select distinct on (user_reference collate "C") user_reference, roles, user_group,
    max(greatest(created_at, rotated_at, checked_at)) over person as last_seen,
    (count(*) filter (where ended_at is null and expires_at > $2) over person)::int as active_sessions
  from portal_sessions where client_id = $1 and created_at > $3
  window person as (partition by user_reference)
  order by user_reference collate "C", created_at desc, session_id desc`

/**
 * People of a client who signed in since a time, with the identity provider's last claims about them.
 * @param since epoch seconds, as `now`
 */
export function listPeopleOfSessions(
  db: Database,
  client_id: number,
  now: number,
  since: number,
): Promise<StaffMember[]> {
  return db.global((q) => q.rows<StaffMember>(OF_SESSIONS, [client_id, now, since]))
}

/** People of a client in the embedded identity provider, without their sign-ins. */
export function listEmbeddedPeople(db: Database, client: string): Promise<StaffMember[]> {
  return db.global((q) =>
    q.rows<StaffMember>(
      `select user_reference, roles, user_group, null::bigint as last_seen, 0 as active_sessions
       from oidc_people where client = $1`,
      [client],
    ),
  )
}
