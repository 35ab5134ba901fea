import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DEVICE_SERVICES, PROVIDER_CLIENT } from '@custodia/contract'
import { findDefaults } from '../account/store.ts'
import { provisionClient } from '../tenants/provision.ts'
import type { AppContext } from '../app-context.ts'
import { forEachService, writeLimitsIfNone } from '../licenses/store.ts'
import { wantWordIndex } from '../payloads/store.ts'
import { exclusively } from '../ports/database/advisory-lock.ts'
import { seedDemoPeople } from '../ports/identity/people.ts'
import { seedDataRequests } from './data-requests.ts'
import { seedEnrolments } from './enrolments.ts'
import { seedHolds } from './holds.ts'
import { seedRetention } from './retention.ts'
import { DEMO_CLIENTS, type DemoEnrolment } from './people.ts'

/** Where the demo keeps its own files. */
export const demoFolder = (dataDir: string): string => join(dataDir, 'demo')

/** An advisory lock id without another use. */
const LOCK = 7_260_213

/**
 * Creates the demo's clients, people and enrolments; existing ones do not change. Concurrent starts run one at a
 * time.
 */
export async function seedDemo(ctx: AppContext): Promise<void> {
  await exclusively(ctx.db.owner, LOCK, () => seed(ctx))
}

async function seed(ctx: AppContext): Promise<void> {
  await provisionClient(ctx, {
    client: PROVIDER_CLIENT,
    client_name: 'Custodia (provider)',
    is_provider: true,
    groups: [{ group_reference: 'Staff', tags: [] }],
    default_group: 'Staff',
    device_users: [],
  })
  const folder = demoFolder(ctx.config.dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'enrolments.json')
  const handedOut = await readEnrolments(file)
  const enrolments: DemoEnrolment[] = []
  for (const demo of DEMO_CLIENTS) {
    const { client_id } = await provisionClient(ctx, {
      client: demo.client,
      client_name: demo.client_name,
      is_provider: false,
      groups: [...demo.groups],
      tags: demo.tags ?? [],
      default_group: demo.default_group,
      device_users: demo.people.map((person) => ({
        device_user_reference: `${person.first_name} ${person.surname}`,
        group: person.group,
        services: [...DEVICE_SERVICES],
        email: person.email,
        first_name: person.first_name,
        surname: person.surname,
        // One phone of the demo, and one that a visitor may enrol.
        expected_device_count: 2,
      })),
    })
    await setLicenses(ctx, client_id)
    await letContentBeSearched(ctx, client_id)
    await seedHolds(ctx, { client_id, client: demo.client })
    await seedDataRequests(ctx, { client_id, client: demo.client })
    await seedRetention(ctx, client_id)
    const account_reference = demo.client
    const before = handedOut.find((each) => each.account_reference === account_reference)
    const { enrolment, people } = await seedEnrolments(ctx, client_id, before)
    enrolments.push({
      account_reference,
      enrolment,
      people: demo.people.map((person) => ({ ...person, enrolment: people.get(person.first_name) })),
    })
  }
  await seedDemoPeople(ctx.db)
  // Renamed into place: phones of a running demo may be reading the one that is there.
  await writeFile(`${file}.part`, JSON.stringify(enrolments, null, 2), { mode: 0o600 })
  await rename(`${file}.part`, file)
}

/** The codes that an earlier start handed out; the server cannot read them again. */
const readEnrolments = (file: string): Promise<DemoEnrolment[]> =>
  readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as DemoEnrolment[],
    () => [],
  )

/** Enables content search unless a user has saved the account's defaults. */
const letContentBeSearched = (ctx: AppContext, client_id: number): Promise<void> =>
  ctx.db.write(client_id, async (tx) => {
    const defaults = await findDefaults(tx)
    if (defaults?.updated_at === null) await wantWordIndex(tx, true)
  })

/** Licences of each service that the demo's clients begin with. */
const DEMO_LICENSES = 100

async function setLicenses(ctx: AppContext, client_id: number): Promise<void> {
  const limits = forEachService(() => DEMO_LICENSES)
  const change = { now: ctx.now(), by: 'demo' }
  await ctx.db.write(client_id, (tx) => writeLimitsIfNone(tx, limits, change))
}
