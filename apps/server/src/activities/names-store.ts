import { PERSON_NAME, PORTAL_USER_NAMES } from '../device-records/names-store.ts'
import type { Queryable } from '../ports/database/lease.ts'

/** References of one page of a log, by what they name. */
export interface NamedReferences {
  users: readonly string[]
  /** Support requests, by which the provider's staff are named. */
  requesters: readonly string[]
  matters: readonly string[]
  webhooks: readonly string[]
  transfers: readonly string[]
  data_requests: readonly string[]
  threads: readonly { device_reference: string; thread_id: string }[]
}

type Kind = keyof Omit<NamedReferences, 'threads'>

/** Without a permission check. `group_id`: of what is named, null where no group counts. */
export interface FoundName {
  reference: string
  name: string | null
  group_id: number | null
}

/** The names of each kind, by reference in $2. */
const NAMES: Readonly<Record<Kind, string>> = {
  users: `select user_reference as reference, display_name as name, null::int as group_id
    from (${PORTAL_USER_NAMES('$1', '= any($2)')}) named`,
  requesters: `select request_reference as reference, requester_name as name, null::int as group_id
    from support_access where client_id = $1 and request_reference = any($2)`,
  matters: `select matter_id as reference, name, null::int as group_id from legal_matters where client_id = $1 and matter_id = any($2)`,
  webhooks: `select webhook_reference as reference, description as name, null::int as group_id
    from alert_webhooks where client_id = $1 and webhook_reference = any($2)`,
  transfers: `select transfer_id as reference, transfer_config_reference as name, null::int as group_id
    from transfer_runs where client_id = $1 and transfer_id = any($2)`,
  data_requests: `select data_request_id as reference, coalesce(${PERSON_NAME('u')}, subject) as name, u.group_id
    from data_requests r left join device_users u using (client_id, device_user_id) where r.client_id = $1 and data_request_id = any($2)`,
}

/** The names of these references. */
export async function findNames(
  q: Queryable,
  kind: Kind,
  references: readonly string[],
): Promise<FoundName[]> {
  if (references.length === 0) return []
  return q.rows<FoundName>(NAMES[kind], [q.client_id, references])
}

/** The last message of each of these conversations, without a permission check. */
export async function findLastMessages(
  q: Queryable,
  threads: NamedReferences['threads'],
): Promise<{ device_reference: string; thread_id: string; payload_reference: string }[]> {
  if (threads.length === 0) return []
  return q.rows<{ device_reference: string; thread_id: string; payload_reference: string }>(
    `select t.device_reference, t.thread_id, m.payload_reference
     from jsonb_to_recordset($2) t(device_reference text, thread_id text), lateral (
       select p.payload_reference from payload_documents o join payloads p using (payload_id) join devices v using (device_id)
       where o.client_id = $1 and o.thread_id = t.thread_id and v.client_id = $1 and v.device_reference = t.device_reference
       order by o.payload_id desc limit 1) m`,
    [q.client_id, JSON.stringify(threads)],
  )
}
