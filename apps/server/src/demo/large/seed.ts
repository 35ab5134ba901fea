import type { AppContext } from '../../app-context.ts'
import { findClient } from '../../clients/store.ts'
import { watchCaptureOf } from '../../devices/capture/capture.ts'
import { watchSilenceOf } from '../../devices/silence.ts'
import { insertGroup, replaceTags } from '../../groups/store.ts'
import { forEachService, writeLimits } from '../../licenses/store.ts'
import type { Tx } from '../../ports/database/lease.ts'
import {
  BY,
  findDevices,
  hasEntries,
  hasPerson,
  insertDevices,
  insertEntries,
  insertPeople,
  keepDevicesAwake,
  type StoredDevice,
} from './fleet-store.ts'
import { LARGE, largePeople, type LargePerson, type Scale } from './fleet.ts'
import { hasRecordings, insertRecordings } from './history-store.ts'
import { type Holder, getRecordings } from './history.ts'
import { BRANCHES } from './names.ts'
import { insertLogs, preparePositions, prepareTelemetry } from './reports.ts'

const DAY = 86_400
/** Seconds that a statement may take. */
const PATIENCE = 600
/** Licences of each service, as a share of the devices. */
const LICENSED = 1.2

/**
 * Adds thousands of people and devices and their recordings of a year to a client of the demo. A start after an interrupted
 * one continues; a later one only renews the last contact of the devices.
 */
export async function seedLargeDemo(
  { db, keys, now: clock }: Pick<AppContext, 'db' | 'keys' | 'now'>,
  client: string,
  say: (step: string) => void = () => undefined,
  scale: Scale = LARGE,
): Promise<void> {
  const account = await findClient(db, client)
  if (!account) return
  const { client_id } = account
  const now = clock()
  const people = largePeople(scale, now)
  const patient = db.within(PATIENCE)
  const write = <T>(work: (tx: Tx) => Promise<T>) => patient.write(client_id, work)
  const isNew = await write(async (tx) => {
    if (await hasPerson(tx, people[0]?.device_user_reference ?? '')) return false
    say(`  Adding ${scale.people} people and ${scale.devices} devices …`)
    await writeFleet(tx, people, scale, now)
    return true
  })
  if (!isNew) await write((tx) => keepDevicesAwake(tx, now))
  // Plans for the small tables of before would take minutes.
  const analyze = () => db.owner.query('analyze')
  if (isNew) await analyze()
  const holders = await write(async (tx) => getHolders(people, await findDevices(tx)))
  const steps = await writeHistory(write, holders, { scale, now, say })
  const isReported = await write(hasEntries)
  if (!isReported) {
    say('  Adding reports of devices …')
    const active = holders.filter(({ person }) => person.device?.deactivation_date === null)
    const insertTelemetry = await prepareTelemetry({ keys }, client, active, { reports: scale.reports, now })
    const insertPositions = await preparePositions({ keys }, client, active, {
      positions: scale.positions,
      now,
    })
    await write(async (tx) => {
      await insertTelemetry(tx)
      await insertPositions(tx)
      await insertLogs(tx, active, { logs: scale.entries, now })
      await insertEntries(tx, scale.entries, now)
    })
  }
  if (isReported && steps === 0) return
  await analyze()
  say('  Looking for silent devices and capture gaps …')
  const { signal } = new AbortController()
  await watchSilenceOf({ db: patient }, client_id, signal)
  await watchCaptureOf({ db: patient }, client_id, signal)
}

/** Branches, licences, people and devices. */
async function writeFleet(
  tx: Tx,
  people: readonly LargePerson[],
  { devices }: Scale,
  now: number,
): Promise<void> {
  const by = { updated_at: now, updated_by: BY }
  for (const [i, { group_reference, country }] of BRANCHES.entries()) {
    const group_id = await insertGroup(tx, group_reference, by)
    const tags = [
      { key: 'region', value: country === 'GB' ? 'North' : 'South' },
      { key: 'desk', value: i % 3 === 0 ? 'Trading' : 'Advice' },
    ]
    if (group_id !== undefined) await replaceTags(tx, [{ group_id, tags }], by)
  }
  const limit = Math.ceil(devices * LICENSED) + 100
  await writeLimits(
    tx,
    forEachService(() => limit),
    { now, by: BY },
  )
  await insertDevices(tx, people, await insertPeople(tx, people, now))
}

const getHolders = (people: readonly LargePerson[], stored: ReadonlyMap<string, StoredDevice>): Holder[] =>
  people.flatMap((person) => {
    const device = person.device && stored.get(person.device.serial_number)
    return device ? [{ ...device, person }] : []
  })

/**
 * Recordings by month, up to yesterday: those of the demo's own people are the newest. Resolves to the number of months
 * that were added.
 */
async function writeHistory(
  write: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  holders: readonly Holder[],
  { scale: { months, recordings }, now, say }: { scale: Scale; now: number; say: (step: string) => void },
): Promise<number> {
  const end = now - (now % DAY) - DAY
  const today = new Date(now * 1000)
  let added = 0
  for (let back = months - 1; back >= 0; back--) {
    const [from, next] = [back, back - 1].map(
      (each) => Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - each) / 1000,
    ) as [number, number]
    const to = Math.min(next, end)
    added += await write(async (tx) => {
      if (from >= to || (await hasRecordings(tx, from, next))) return 0
      say(`  Adding recordings of ${new Date(from * 1000).toISOString().slice(0, 7)} …`)
      const made = holders.flatMap((holder) => getRecordings(holder, { from, to, most: recordings }))
      await insertRecordings(tx, made, now)
      return 1
    })
  }
  return added
}
