import type { Own } from '@custodia/contract'
import type { PortalUser } from '../http/context.ts'
import type { Queryable } from '../ports/database/lease.ts'

/** A device user or a portal user, by the attributes that identify them. */
interface Identity {
  reference: string
  email: string | null
}

/** Whether the payload is the caller's own. A caller without a session of this client has no e-mail address here. */
export async function readOwn(
  q: Queryable,
  payload_id: number,
  { user_reference, session_id }: Pick<PortalUser, 'user_reference' | 'session_id'>,
): Promise<Own> {
  const { rows } = await q.query<{
    holder: string | null
    holder_email: string | null
    email: string | null
  }>(
    `select u.device_user_reference as holder, u.email as holder_email,
       (select s.email from portal_sessions s where s.session_id = $3 and s.client_id = $1) as email
     from payloads p left join device_users u on u.device_user_id = p.device_user_id
     where p.client_id = $1 and p.payload_id = $2`,
    [q.client_id, payload_id, session_id],
    'payload_own',
  )
  const [row] = rows
  const holder = row?.holder ? { reference: row.holder, email: row.holder_email } : null
  return ownOf(holder, { reference: user_reference, email: row?.email ?? null })
}

/**
 * Whether `holder` and `person` are the same: equal reference or e-mail address, ignoring case. Unknown when the device
 * had no holder, or when one e-mail address is missing.
 */
export function ownOf(holder: Identity | null, person: Identity): Own {
  if (holder === null) return 'unknown'
  const names = ({ reference, email }: Identity) =>
    [reference, email].flatMap((each) => (each ? [each.toLowerCase()] : []))
  if (names(holder).some((each) => names(person).includes(each))) return 'own'
  return holder.email && person.email ? 'not_own' : 'unknown'
}
