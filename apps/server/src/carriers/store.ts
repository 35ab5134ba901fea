import type { AppContext } from '../app-context.ts'
import type { Database } from '../ports/database/pool.ts'
import { type CarriersSeen, type Sighting, sightingsIn } from './sightings.ts'

export type { CarriersSeen }

/** Days (UTC) between which a sighting adds nothing. */
interface Span {
  from: number
  to: number
}

/** Sightings that this process wrote, by database. */
const writtenSightings = new WeakMap<Database, Map<string, Span>>()
/** Maximum cached carriers; the full cache is cleared, which repeats writes. */
const CACHE_LIMIT = 10_000
/** Maximum carriers per client, because devices send free text. */
const CARRIERS_PER_CLIENT = 1000

const DAY = 86_400
const dayOf = (at: number): number => Math.floor(at / DAY)

/**
 * Stores carrier sightings in their own transaction, because all payloads of a client share the rows. Each process
 * writes a carrier at most once per client and day.
 */
export async function noteSightings(
  ctx: Pick<AppContext, 'db' | 'now'>,
  client_id: number,
  ...seen: readonly CarriersSeen[]
): Promise<void> {
  const spans = writtenSightings.get(ctx.db) ?? new Map<string, Span>()
  writtenSightings.set(ctx.db, spans)
  const keyOf = ({ country, carrier_name }: Sighting) => `${client_id} ${country} ${carrier_name}`
  const fresh = seen
    .flatMap((each) => sightingsIn(each, ctx.now()))
    .filter((sighting) => {
      const span = spans.get(keyOf(sighting))
      const day = dayOf(sighting.at)
      return span === undefined || day < span.from || day > span.to
    })
  // The oldest and newest sighting of each carrier suffice; sorted, to avoid deadlocks.
  const news = [...Map.groupBy(fresh, keyOf)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, same]) => {
      const byTime = same.toSorted((a, b) => a.at - b.at)
      return byTime.length > 2 ? [byTime[0] as Sighting, byTime.at(-1) as Sighting] : byTime
    })
  if (news.length === 0) return
  await ctx.db.write(client_id, async (tx) => {
    for (const { country, carrier_name, at } of news)
      await tx.query(NOTE, [client_id, country, carrier_name, at, CARRIERS_PER_CLIENT], 'note_sighting')
  })
  if (spans.size > CACHE_LIMIT) spans.clear()
  for (const sighting of news) {
    const day = dayOf(sighting.at)
    const { from, to } = spans.get(keyOf(sighting)) ?? { from: day, to: day }
    spans.set(keyOf(sighting), { from: Math.min(from, day), to: Math.max(to, day) })
  }
}

const NOTE = `
  insert into carrier_sightings as s (client_id, country, carrier_name, first_seen, last_seen)
  select $1::int, $2::text, $3::text, $4::bigint, $4::bigint
  where exists (select from carrier_sightings where client_id = $1 and country = $2 and carrier_name = $3)
    or (select count(*) from carrier_sightings where client_id = $1) < $5::int
  on conflict (client_id, country, carrier_name) do update
  set first_seen = least(s.first_seen, excluded.first_seen), last_seen = greatest(s.last_seen, excluded.last_seen)`

/** A carrier of a client's devices. */
export interface StoredSighting {
  client: string
  country: string
  carrier_name: string
  first_seen: number
  last_seen: number
}

/** Sightings of all clients, newest spelling first. */
export async function listSightings(db: Database): Promise<StoredSighting[]> {
  const { rows } = await db.acrossClients((q) =>
    q.query<StoredSighting>(
      `select c.client, s.country, s.carrier_name, s.first_seen, s.last_seen
       from carrier_sightings s join clients c using (client_id)
       order by s.last_seen desc, s.carrier_name collate "C", c.client`,
    ),
  )
  return rows
}
