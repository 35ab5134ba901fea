import { HOT_NUMBER } from './fill.ts'
import type { Archive } from './archive.ts'
import { fetchBytes, load } from './load.ts'
import type { Options } from './options.ts'
import { addPeople, PEOPLE } from './people.ts'
import type { Line } from './report.ts'
import { pidsOf, signIn, sharedServer } from './server.ts'

/** Numbers of the archive, by how often they occur: see `fill.ts`. */
const NUMBERS = {
  'in one call of fifty': HOT_NUMBER,
  'in some hundred': `+44${'100'.padStart(10, '1')}`,
  'in some ten': `+44${'25000'.padStart(10, '1')}`,
  'in none': '+449999999999999',
} as const

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
            pids: () => pidsOf(archive, ours, 'custodia'),
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
          // The second side finds everything warmer: take turns.
          const early =
            round % 2 === 0 ? await load(contacts, options.clients, options.milliseconds) : undefined
          const floor = await load(list, options.clients, options.milliseconds)
          line.pairs.push({
            subject: early ?? (await load(contacts, options.clients, options.milliseconds)),
            floor,
          })
        }
      }
    }
    return [...lines.values()]
  } finally {
    await ours.stop()
  }
}
