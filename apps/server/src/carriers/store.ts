import { CALLING_CODES, DAY } from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import type { Database } from '../ports/database/pool.ts'

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

const getDay = (at: number): number => Math.floor(at / DAY)

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
  const getKey = ({ country, carrier_name }: Sighting) => `${client_id} ${country} ${carrier_name}`
  const fresh = seen
    .flatMap((each) => sightingsIn(each, ctx.now()))
    .filter((sighting) => {
      const span = spans.get(getKey(sighting))
      const day = getDay(sighting.at)
      return span === undefined || day < span.from || day > span.to
    })
  // The oldest and newest sighting of each carrier suffice; sorted, to avoid deadlocks.
  const news = [...Map.groupBy(fresh, getKey)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, same]) => {
      const byTime = same.toSorted((a, b) => a.at - b.at)
      return byTime.length > 2 ? [byTime[0] as Sighting, byTime.at(-1) as Sighting] : byTime
    })
  if (news.length === 0) return
  await ctx.db.write(client_id, async (tx) => {
    for (const { country, carrier_name, at } of news)
      await tx.query(NOTE, [client_id, country, carrier_name, at, CARRIERS_PER_CLIENT])
  })
  if (spans.size > CACHE_LIMIT) spans.clear()
  for (const sighting of news) {
    const day = getDay(sighting.at)
    const { from, to } = spans.get(getKey(sighting)) ?? { from: day, to: day }
    spans.set(getKey(sighting), { from: Math.min(from, day), to: Math.max(to, day) })
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
export function listSightings(db: Database): Promise<StoredSighting[]> {
  return db.acrossClients((q) =>
    q.rows<StoredSighting>(
      `select c.client, s.country, s.carrier_name, s.first_seen, s.last_seen
       from carrier_sightings s join clients c using (client_id)
       order by s.last_seen desc, s.carrier_name collate "C", c.client`,
    ),
  )
}

/** Calling code of an international number (`+351912345678` → 351); undefined for other forms. */
export function getCallingCode(phone_number: string): number | undefined {
  const digits = /^\+([1-9][\d ().-]{5,})$/.exec(phone_number.trim())?.[1]?.replaceAll(/\D/g, '')
  if (digits === undefined) return undefined
  return [1, 2, 3].map((length) => Number(digits.slice(0, length))).find((code) => code in CALLING_CODES)
}

/** Countries that share a calling code, which CALLING_CODES lists under another country or the continent. */
const SHARED: Readonly<Record<number, string>> = {
  1: 'US CA AG AI AS BB BM BS DM DO GD GU JM KN KY LC MP MS PR SX TC TT VC VG VI',
  7: 'KZ',
  39: 'VA',
  44: 'GG IM JE',
  47: 'SJ',
  61: 'CC CX',
  212: 'EH',
  262: 'YT',
  290: 'AC TA',
  358: 'AX',
  590: 'BL MF',
  599: 'BQ',
}
const OF_COUNTRY: ReadonlyMap<string, number> = new Map([
  ...Object.entries(CALLING_CODES).map(([code, country]) => [country, Number(code)] as const),
  ...Object.entries(SHARED).flatMap(([code, countries]) =>
    countries.split(' ').map((country) => [country, Number(code)] as const),
  ),
])

/** Calling code of a country (ISO 3166-1 alpha-2); undefined without one. */
export const callingCodeOfCountry = (country: string): number | undefined => OF_COUNTRY.get(country)

/**
 * Country of a SIM (ISO 3166-1 alpha-2, or `003` for North America): from its number, and from the card for shared
 * calling codes or without a number.
 */
export function countryOfSim(phone_number: string, card: string): string | undefined {
  const named = /^[A-Z]{2}$/i.test(card) ? card.toUpperCase() : undefined
  const code = getCallingCode(phone_number)
  if (code === undefined || (named && callingCodeOfCountry(named) === code)) return named
  return CALLING_CODES[code]
}

/** A device that recorded through a carrier. */
export interface Sighting {
  /** ISO 3166-1 alpha-2, or `003`. */
  country: string
  carrier_name: string
  /** Epoch seconds. */
  at: number
}

/** Carriers in payload metadata or a device report. */
export interface CarriersSeen {
  payload_time: number
  payload_carrier_metadata?: readonly {
    carrier_name?: string | null | undefined
    phone_number?: string | null | undefined
    /** Country of the card, ISO 3166-1 alpha-2. */
    country?: string | undefined
  }[]
}

/** Maximum name length, because devices send free text. */
const NAME_LENGTH = 100

/** Sightings of carriers. A carrier without a country is left out; times in the future do not count. */
export function sightingsIn(
  { payload_carrier_metadata = [], payload_time }: CarriersSeen,
  now: number,
): Sighting[] {
  const at = Math.min(payload_time, now)
  return payload_carrier_metadata.flatMap(({ carrier_name, phone_number, country: card }) => {
    const name = (carrier_name ?? '')
      .normalize('NFC')
      .replaceAll(/\s+/gu, ' ')
      .trim()
      .slice(0, NAME_LENGTH)
      .trim()
    const country = countryOfSim(phone_number ?? '', card ?? '')
    return name === '' || !name.isWellFormed() || country === undefined
      ? []
      : [{ country, carrier_name: name, at }]
  })
}

/** Code of a carrier: its name in capitals and digits without accents, equal for all spellings. */
export function getCarrierCode(carrier_name: string): string {
  return carrier_name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_|_$/g, '')
}
