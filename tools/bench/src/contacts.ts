import { type Archive, HOT_NUMBER } from './fill.ts'
import { addPeople, PEOPLE } from './lists.ts'
import { bothSides, fetchBytes, load } from './load.ts'
import type { Options } from './options.ts'
import type { Line } from './report.ts'
import { getPids, signIn, sharedServer } from './server.ts'
import { measureHiding } from './words.ts'

/** Numbers of the archive, by how often they occur: see `fill.ts`. */
const NUMBERS = {
  'in one call of fifty': HOT_NUMBER,
  'in some hundred': `+44${'100'.padStart(10, '1')}`,
  'in some ten': `+44${'25000'.padStart(10, '1')}`,
  'in none': '+449999999999999',
} as const

/** Calls in which a reader could distinguish hidden from missing items. */
const HIDING = {
  list: '/client/v1/api/payloads?search=',
  total: '/client/v1/api/payloads?type=total&search=',
  suggestions: '/client/v1/api/suggestions?search=',
  contacts: '/client/v1/api/contacts?number=',
} as const

/** A number, and a person, that exist in groups only that the reader does not see, compared with such as exist nowhere. */
async function measureHidden(
  archive: Archive,
  ours: Awaited<ReturnType<typeof sharedServer>>,
  say: (step: string) => void,
): Promise<Line[]> {
  const { owner, client_id } = archive
  const { rows } = await owner.query<{ number: string }>(
    `select reverse(reversed) as number from search_numbers s where client_id = $1 and length(reversed) >= 9
       and exists (select from payload_numbers n where n.client_id = s.client_id and n.number_hash = s.number_hash)
       and not exists (select from payload_numbers n where n.client_id = s.client_id and n.number_hash = s.number_hash and n.group_id % 5 = 3)
     limit 1`,
    [client_id],
  )
  // The person with most recordings, none of which the reader sees.
  await owner.query(
    `insert into device_user_words (client_id, word, device_user_id)
     select $1, 'hiddenperson', device_user_id from payloads where client_id = $1 and device_user_id is not null
     group by device_user_id having bool_and(group_id % 5 <> 3) order by count(*) desc limit 1`,
    [client_id],
  )
  const headers = await signIn(ours, 'two-hundred-groups')
  const target = (path: string) => ({
    port: ours.port,
    path: () => path,
    headers,
    pids: () => getPids(archive, ours, 'custodia'),
  })
  const hidden = rows[0]?.number
  const lines: Line[] = []
  for (const [name, call] of Object.entries(HIDING)) {
    const compare = async (what: string, here: string, nowhere: string) => {
      say(`Hidden and missing: ${what}, ${name} …`)
      const pair = { hidden: target(call + here), missing: target(call + nowhere) }
      lines.push(await measureHiding({ name: `hidden ${what}, ${name}`, ...pair }))
    }
    if (hidden !== undefined) await compare('number', hidden, '9'.repeat(hidden.length))
    if (name !== 'contacts') await compare('person', 'hiddenperson', 'missingperso')
  }
  return lines
}

/** The facts of a phone number, compared with the first page of the list of the same number by the same server. */
export async function measureContacts(
  archive: Archive,
  options: Options,
  say: (step: string) => void,
): Promise<Line[]> {
  await addPeople(archive)
  const ours = await sharedServer(archive, options.server)
  try {
    const lines = new Map<string, Line>()
    for (let round = 1; round <= options.rounds; round++) {
      say(`Round ${round} of ${options.rounds} …`)
      for (const person of PEOPLE) {
        const headers = await signIn(ours, person)
        for (const [name, number] of Object.entries(NUMBERS)) {
          const target = (path: string) => ({
            port: ours.port,
            path: () => path,
            headers,
            pids: () => getPids(archive, ours, 'custodia'),
          })
          const contacts = target(`/client/v1/api/contacts?${new URLSearchParams({ number })}`)
          const list = target(
            `/client/v1/api/payloads?${new URLSearchParams({ service: 'calls', search: number })}`,
          )
          const facts = JSON.parse((await fetchBytes(contacts)).toString()) as {
            services: { total: number }[]
            people_total: { total: number }
          }
          const key = `number ${name}, ${person}`
          const note = `${facts.services[0]?.total ?? 0} calls, ${facts.people_total.total} people`
          const line = lines.get(key) ?? { name: key, note, pairs: [] }
          lines.set(key, line)
          const run = (of: typeof list) => load(of, options.clients, options.milliseconds)
          line.pairs.push(
            await bothSides(
              round,
              () => run(contacts),
              () => run(list),
            ),
          )
        }
      }
    }
    return [...lines.values(), ...(await measureHidden(archive, ours, say))]
  } finally {
    await ours.stop()
  }
}
