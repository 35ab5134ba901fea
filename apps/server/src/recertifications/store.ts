import {
  DAY,
  type Recertification,
  RECERTIFICATION_WARNING_DAYS,
  type RecertifiedPerson,
} from '@custodia/contract'
import { type AlertIdentity, raiseAlert } from '../alerts/raise.ts'
import { clientColumn, listClients } from '../clients/store.ts'
import { PORTAL_USER_NAME } from '../device-records/names-store.ts'
import { periodicJob } from '../jobs/kind.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

const COLUMNS = `${clientColumn('r.client_id')}, r.recertification_reference, r.name, r.role, r.started_at, r.started_by, r.due_at, r.ended_at, r.ended_by,
  n.people, n.confirmed, n.revoked, coalesce(r.ended_by, n.decided_by, r.started_by) as updated_by`
const FROM = `recertifications r cross join lateral (
    select count(*)::int as people, (count(*) filter (where decision = 'confirmed'))::int as confirmed,
      (count(*) filter (where decision = 'revoked'))::int as revoked, (array_agg(decided_by order by decided_at desc) filter (where decided_at is not null))[1] as decided_by
    from recertified_people p where p.client_id = r.client_id and p.recertification_reference = r.recertification_reference) n`

/** Recertifications before a reference, newest first. */
export const listRecertifications = async (
  q: Queryable,
  before: string | undefined,
  limit: number,
): Promise<Recertification[]> =>
  await q.rows<Recertification>(
    `select ${COLUMNS} from ${FROM} where r.client_id = $1 and ($2::text is null or r.recertification_reference < $2)
       order by r.recertification_reference desc limit $3`,
    [q.client_id, before ?? null, limit],
  )

/** How many recertifications there are. */
export const countRecertifications = async (q: Queryable): Promise<number> =>
  (
    await q.query<{ total: number }>(
      'select count(*)::int as total from recertifications where client_id = $1',
      [q.client_id],
    )
  ).rows[0]?.total ?? 0

/** One recertification; undefined when there is none. */
export const findRecertification = async (
  q: Queryable,
  reference: string,
): Promise<Recertification | undefined> =>
  await q.row<Recertification>(
    `select ${COLUMNS} from ${FROM} where r.client_id = $1 and r.recertification_reference = $2`,
    [q.client_id, reference],
  )

/** Locks a recertification until the transaction ends. Resolves to whether it is open; undefined when there is none. */
export function lockRecertification(tx: Tx, reference: string): Promise<boolean | undefined> {
  return tx.value<boolean>(
    `select ended_at is null as is_open from recertifications
     where client_id = $1 and recertification_reference = $2 for update`,
    [tx.client_id, reference],
  )
}

/** A person as frozen at the start. */
export type FrozenPerson = Pick<
  RecertifiedPerson,
  'user_reference' | 'roles' | 'groups' | 'ends_at' | 'matters' | 'last_seen'
>

/** Stores a new recertification with its people. */
export async function insertRecertification(
  tx: Tx,
  made: Pick<
    Recertification,
    'recertification_reference' | 'name' | 'role' | 'started_at' | 'started_by' | 'due_at'
  >,
  people: readonly FrozenPerson[],
): Promise<void> {
  const { recertification_reference, name, role, started_at, started_by, due_at } = made
  await tx.query(
    `insert into recertifications (client_id, recertification_reference, name, role, started_at, started_by, due_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [tx.client_id, recertification_reference, name, role, started_at, started_by, due_at],
  )
  await tx.query(
    `insert into recertified_people (client_id, recertification_reference, user_reference, roles, groups, ends_at, matters, last_seen)
     select $1, $2, user_reference, roles, groups, ends_at, matters, last_seen
     from jsonb_to_recordset($3::jsonb) as x(user_reference text, roles text[], groups text[], ends_at bigint, matters text[], last_seen bigint)`,
    [tx.client_id, recertification_reference, JSON.stringify(people)],
  )
}

/** People of a recertification after a reference. */
export const listRecertified = async (
  q: Queryable,
  reference: string,
  { after, limit }: { after: string; limit: number },
): Promise<RecertifiedPerson[]> =>
  await q.rows<RecertifiedPerson>(
    `select p.user_reference, ${PORTAL_USER_NAME('p.client_id', 'p.user_reference')} as display_name, p.roles, p.groups, p.ends_at, p.matters, p.last_seen,
         p.decision, p.reason, p.decided_at, p.decided_by
       from recertified_people p where p.client_id = $1 and p.recertification_reference = $2 and p.user_reference > $3
       order by p.user_reference limit $4`,
    [q.client_id, reference, after, limit],
  )

/** Decides about people of a locked recertification. Resolves to those that had no decision yet. */
export function decide(
  tx: Tx,
  reference: string,
  decided: {
    user_references: readonly string[]
    decision: 'confirmed' | 'revoked'
    reason: string
    at: number
    by: string
  },
): Promise<string[]> {
  const { user_references, decision, reason, at, by } = decided
  return tx.column<string>(
    `update recertified_people set decision = $4, reason = $5, decided_at = $6, decided_by = $7
     where client_id = $1 and recertification_reference = $2 and user_reference = any($3) and decision is null
     returning user_reference`,
    [tx.client_id, reference, user_references, decision, reason, at, by],
  )
}

/** Ends a locked recertification. */
export async function endRecertification(
  tx: Tx,
  reference: string,
  { at, by }: { at: number; by: string },
): Promise<void> {
  await tx.query(
    'update recertifications set ended_at = $3, ended_by = $4 where client_id = $1 and recertification_reference = $2',
    [tx.client_id, reference, at, by],
  )
}

/** The alert of an open recertification. */
export const getAlert = (reference: string, now: number): AlertIdentity => ({
  alert_scopes: ['sec'],
  alert_key: `recertification ${reference}`,
  now,
})

/** Open recertifications that are due within some seconds. */
const findDue = async (q: Queryable, until: number): Promise<{ reference: string; name: string }[]> =>
  await q.rows<{ reference: string; name: string }>(
    `select recertification_reference as reference, name from recertifications
       where client_id = $1 and ended_at is null and due_at <= $2`,
    [q.client_id, until],
  )

/** Raises a daily alert for each open recertification near or past its due date. */
export const watchRecertifications = periodicJob({
  name: 'recertifications.watch',
  every: DAY,
  async run({ db, now }) {
    for (const { client_id } of await listClients(db))
      await db.write(client_id, async (tx) => {
        for (const { reference, name } of await findDue(tx, now() + RECERTIFICATION_WARNING_DAYS * DAY))
          await raiseAlert(tx, {
            ...getAlert(reference, now()),
            text: 'recertification_due',
            values: { name },
            alert_type: 'AccountAlert',
            alert_severity: 'Medium',
          })
      })
  },
})
