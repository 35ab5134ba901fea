import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findClient } from '../clients/store.ts'
import type { House } from '../house.ts'
import { systemEntry } from '../http/system-entry.ts'
import { MIGRATION } from '../migrations/erase.ts'
import { noteErased } from '../migrations/erase-store.ts'
import { dropFolder, listFolder, removeDropped } from '../migrations/folder.ts'
import { countRuns, findRun } from '../migrations/run-store.ts'
import { startRun } from '../migrations/start.ts'
import { noteDemoAct } from './acts.ts'

/** Recordings of the example that docs/migration.md tells of. */
const MEDIA = fileURLToPath(new URL('../../../../docs/migration-example/media', import.meta.url))
const BY = 'alice'
const DAY = 86_400
/** Seconds for which the worker is waited for. */
const PATIENCE = 20

/** Rows of somebody who had left before the account came here: a call, messages, a picture, a call whose data follows, and one row twice. */
function filesOf(now: number): Record<string, string> {
  const [joined, left] = [now - 1500 * DAY, now - 200 * DAY]
  const recorded = (row: number) => left - (10 - row) * 3600
  const line = (row: number, cells: string) =>
    `OLD-${1000 + row},${cells.replace('@', String(recorded(row)))}\n`
  return {
    'groups.csv': 'Group\nSouth\n',
    'users.csv': `UserReference,Group,FirstName,Surname,IsActive,OnboardDate,OffboardDate\nlegacy-otis,South,Otis,Oakley,false,${joined},${left}\n`,
    'devices.csv': `DeviceReference,UserReference,legacy_phone_number,Model,ProvisionDate,ToDate,IsActive\nlegacy-otis-phone,legacy-otis,07700900177,Pixel 4a,${joined},${left},false\n`,
    'payloads.csv':
      'LegacyPayloadReference,PayloadType,PayloadTime,DeviceReference,Direction,Parties,ThreadId,Text,MediaFile,DataFollows\n' +
      line(1, 'SMS,@,legacy-otis-phone,I,+447700900811,supplier,The delivery comes on Thursday,,') +
      line(2, 'SMS,@,legacy-otis-phone,O,+447700900811,supplier,Thank you,,') +
      line(3, 'MMS,@,legacy-otis-phone,I,+447700900811,supplier,The note,picture.png,') +
      line(4, 'Call,@,legacy-otis-phone,O,+447700900811,,,call-1001.wav,') +
      line(5, 'Call,@,legacy-otis-phone,I,+447700900812,,,,yes') +
      line(2, 'SMS,@,legacy-otis-phone,O,+447700900811,supplier,Thank you,,'),
  }
}

/** A migration that ran and waits for somebody who accepts it, unless the account has one; nothing of it stays in the drop folder. */
export async function seedDemoMigration(
  house: Pick<House, 'db' | 'audit' | 'jobs' | 'now' | 'config'>,
  client: string,
): Promise<void> {
  const account = await findClient(house.db, client)
  if (!account) return
  const { client_id } = account
  const folder = dropFolder(house.config.dataDir, client)
  const hasRuns = await house.db.read(client_id, (q) =>
    countRuns(q, { from: 0, to: Number.MAX_SAFE_INTEGER }),
  )
  if (hasRuns > 0 || (await listFolder(folder)).length > 0) return
  const now = house.now()
  const files = filesOf(now)
  const media = ['media/call-1001.wav', 'media/picture.png']
  await mkdir(join(folder, 'media'), { recursive: true, mode: 0o700 })
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  for (const name of media) await copyFile(join(dirname(MEDIA), name), join(folder, name))
  const parameters = { body: { is_dry_run: false } }
  const migration_reference = await house.db.write(client_id, async (tx) => {
    await noteDemoAct(house, tx, { by: BY, at: now, action: 'migrations:create', parameters })
    return startRun(house, tx, client, { now, by: BY, is_dry_run: false })
  })
  const isOver = async () =>
    (await house.db.read(client_id, (q) => findRun(q, migration_reference)))?.migrated_at !== null
  for (let waited = 0; !(await isOver()); waited++) {
    // Whoever carries it out needs its files.
    if (waited === PATIENCE * 10) return
    await sleep(100)
  }
  const dropped = [...Object.keys(files), ...media]
  for (const name of dropped) await removeDropped(folder, name)
  // What is gone already is not going to be erased.
  await house.db.write(client_id, async (tx) => {
    const erased = { migration_reference, erased: dropped.length, kept: 0 }
    await house.audit.appendWithin(
      tx,
      systemEntry({ client_id }, { at: house.now(), by: MIGRATION }, 'migrations:erase', erased),
    )
    await noteErased(tx, migration_reference, house.now())
  })
}
