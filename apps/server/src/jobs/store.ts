import type { GlobalTx } from '../ports/database/lease.ts'
import type { Database } from '../ports/database/pool.ts'
import type { Place } from '../ports/jobs.ts'

/** Seconds after which a silent worker counts as dead and another one takes its task over. */
export const LEASE = 30

/** A task that this process has taken. */
export interface Task {
  task_id: number
  kind: string
  lane: string
  input: unknown
  /** Attempts, this one included. */
  attempts: number
  fence: number
}

export interface NewTask extends Place {
  kind: string
  client_id: number
  key: string
  input: unknown
  now: number
}

/**
 * Queues work in the transaction of its cause. A running task is repeated, because the cause may be newer
 * than its input; with `is_swept` it stays unchanged.
 */
export async function addTasks(tx: GlobalTx, tasks: readonly NewTask[], is_swept = false): Promise<void> {
  await tx.query(
    `insert into client_tasks (kind, lane, client_id, key, input, cost, due_at)
     select kind, lane, client_id, key, input, cost, now
     from jsonb_to_recordset($1::jsonb) as x(kind text, lane text, client_id int, key text, input jsonb, cost float8, now bigint)
     order by client_id, kind, key
     on conflict (client_id, kind, key) ${is_swept ? 'do nothing' : AGAIN}`,
    [JSON.stringify(tasks)],
  )
}

const AGAIN = `do update set lane = excluded.lane, input = excluded.input, cost = excluded.cost, due_at = excluded.due_at, attempts = 0,
  is_taken = false, fence = client_tasks.fence + 1`

/** Lanes with a due task. */
export function findDueLanes(db: Database, lanes: readonly string[], now: number): Promise<string[]> {
  return db.global((q) =>
    q.column<string>(
      `select lane from unnest($1::text[]) as lane
       where exists (select from client_tasks t where t.lane = lane.lane and t.due_at <= $2)`,
      [lanes, now],
    ),
  )
}

/**
 * Takes up to `most` due tasks of a lane, first those of clients with the least share so far (start-time fair
 * queueing), and at most `per_client` of a client. One process at a time, so that the shares are exact over
 * all; takes 1–2 ms.
 */
export async function takeTasks(
  db: Database,
  lane: string,
  { most, per_client = most }: { most: number; per_client?: number | undefined },
  now: number,
): Promise<Task[]> {
  return db.globalWrite(async (tx) => {
    // When a power cut undoes this, the task is taken again.
    await tx.query('set local synchronous_commit = off')
    await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 7))', [lane])
    const limited = per_client < most
    const values = [lane, now, most, now + LEASE, ...(limited ? [per_client] : [])]
    return tx.rows<Task>(take(limited), values)
  })
}

// A client that was idle starts at the lane's clock: it has no claim for its idle time.
const take = (limited: boolean) => `
  with recursive busy(client_id) as (
    (select client_id from client_tasks where lane = $1 order by client_id limit 1)
    union all
    select (select t.client_id from client_tasks t where t.lane = $1 and t.client_id > b.client_id order by t.client_id limit 1)
    from busy b where b.client_id is not null
  ), clock as (
    select coalesce(max(used), 0) as used from client_shares where lane = $1 and client_id = 0
  ), waiting as (
    select t.task_id, b.client_id, t.cost,
      greatest(coalesce(s.used, 0), clock.used)
        + sum(t.cost::float8) over (partition by b.client_id order by t.due_at, t.task_id) - t.cost as start
    from busy b cross join clock
    left join client_shares s on s.lane = $1 and s.client_id = b.client_id
    cross join lateral (
      select task_id, cost, due_at from client_tasks t
      where t.lane = $1 and t.client_id = b.client_id and t.due_at <= $2 order by t.due_at, t.task_id
      limit ${limited ? LEFT : '$3'}
    ) t
    where b.client_id is not null
  ), chosen as (
    select * from waiting order by start, client_id, task_id limit $3
  ), taken as (
    update client_tasks t set due_at = $4, attempts = t.attempts + 1, fence = t.fence + 1, is_taken = true
    from chosen c where t.task_id = c.task_id and t.due_at <= $2
    returning t.task_id, t.kind, t.lane, t.input, t.attempts, t.fence, c.client_id, c.start, c.start + c.cost as finish
  ), charged as (
    insert into client_shares as s (lane, client_id, used)
    select $1, client_id, max(finish) from taken group by client_id
    union all select $1, 0, max(start) from taken having count(*) > 0
    on conflict (lane, client_id) do update set used = greatest(s.used, excluded.used)
  )
  select task_id, kind, lane, input, attempts, fence from taken order by start, task_id`

/** Free slots of a client. */
const LEFT = `greatest(0, $5::int - (select count(*) from client_tasks o
        where o.lane = $1 and o.client_id = b.client_id and o.due_at > $2 and o.is_taken))`

const HELD =
  'from unnest($1::bigint[], $2::int[]) as h(task_id, fence) where t.task_id = h.task_id and t.fence = h.fence'
const held = (tasks: readonly Task[]) => [
  tasks.map(({ task_id }) => task_id),
  tasks.map(({ fence }) => fence),
]

/** Extends the leases of long tasks; resolves to the number that this process still owns. */
export async function prolongTasks(db: Database, tasks: readonly Task[], now: number): Promise<number> {
  return db.globalWrite(async (tx) => {
    await tx.query('set local synchronous_commit = off')
    const values = [...held(tasks), now + LEASE]
    const { rowCount } = await tx.query(`update client_tasks t set due_at = $3 ${HELD}`, values)
    return rowCount
  })
}

/** Ends tasks; one that was sent again meanwhile, or taken over, stays. */
export async function endTasks(db: Database, tasks: readonly Task[]): Promise<void> {
  if (tasks.length === 0) return
  await db.globalWrite(async (tx) => {
    // After a power cut they come back and find no work.
    await tx.query('set local synchronous_commit = off')
    await tx.query(`delete from client_tasks t using ${HELD.slice('from '.length)}`, held(tasks))
  })
}

/** A failed task waits until `due_at`. */
export async function delayTask(db: Database, task: Task, due_at: number): Promise<void> {
  await db.globalWrite((tx) =>
    tx.query(`update client_tasks t set due_at = $3, is_taken = false ${HELD}`, [...held([task]), due_at]),
  )
}

/** Returns an interrupted task for another worker at once, without counting the attempt. */
export async function returnTask(db: Database, task: Task, now: number): Promise<void> {
  await db.globalWrite((tx) =>
    tx.query(`update client_tasks t set due_at = $3, attempts = t.attempts - 1, is_taken = false ${HELD}`, [
      ...held([task]),
      now,
    ]),
  )
}

/** Moves a task to another lane and charges its client there. */
export async function moveTask(db: Database, task: Task, { lane, cost }: Place, now: number): Promise<void> {
  await db.globalWrite((tx) =>
    tx.query(
      `update client_tasks t set lane = $3, cost = $4, due_at = $5, attempts = t.attempts - 1, is_taken = false ${HELD}`,
      [...held([task]), lane, cost, now],
    ),
  )
}
