import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DEVICE_SERVICES } from '@custodia/contract'
import { provisionClient } from '../clients/provision.ts'
import type { House } from '../house.ts'
import { seedDemoPeople } from '../ports/identity/people.ts'
import { DEMO_CLIENTS, type DemoPerson } from './people.ts'

/** What the demo's phones are handed, as at a roll-out: which account, its key, whose phone. */
export interface DemoEnrolment {
  account_reference: string
  /** Base64. */
  account_key: string
  people: readonly DemoPerson[]
}

/** Where the demo keeps its own files. */
export const demoFolder = (dataDir: string): string => join(dataDir, 'demo')

/** Makes the demo's clients, people and enrolments; what is there already stays as it is. */
export async function seedDemo(house: House): Promise<void> {
  await provisionClient(house, {
    client: 'admin',
    client_name: 'Custodia (provider)',
    is_provider: true,
    groups: [{ group_reference: 'Staff', tags: [] }],
    default_group: 'Staff',
    device_users: [],
  })
  const enrolments: DemoEnrolment[] = []
  for (const demo of DEMO_CLIENTS) {
    const { account_key } = await provisionClient(house, {
      client: demo.client,
      client_name: demo.client_name,
      is_provider: false,
      groups: [...demo.groups],
      default_group: demo.default_group,
      device_users: demo.people.map((person) => ({
        device_user_reference: `${person.first_name} ${person.surname}`,
        group: person.group,
        services: [...DEVICE_SERVICES],
        email: person.email,
        first_name: person.first_name,
        surname: person.surname,
      })),
    })
    enrolments.push({
      account_reference: demo.client,
      account_key: account_key.toString('base64'),
      people: demo.people,
    })
  }
  await seedDemoPeople(house.db)
  const folder = demoFolder(house.config.dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(join(folder, 'enrolments.json'), JSON.stringify(enrolments, null, 2), { mode: 0o600 })
}
