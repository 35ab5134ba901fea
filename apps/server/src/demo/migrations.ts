import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { AppContext } from '../app-context.ts'
import { findClient } from '../clients/store.ts'
import { finishDestruction } from '../destruction/jobs.ts'
import { systemEntry } from '../http/audit-entry.ts'
import { dropFolder, listFolder, removeDropped } from '../migrations/folder.ts'
import { noteErased, signRun } from '../migrations/sign-off-store.ts'
import { startRun } from '../migrations/start.ts'
import { countRuns, findRun, MIGRATION } from '../migrations/store.ts'
import { carryOutRetention } from '../retention/engine.ts'
import { noteDemoAct } from './reviews.ts'
import { findSampled } from './store.ts'

/** Files of a legacy platform: tables by their names, and media by the names under which they lie in the example. */
interface DemoFiles {
  tables: Readonly<Record<string, string>>
  media: Readonly<Record<string, string>>
}

interface DemoAccount {
  client_id: number
  client: string
  /** Who acts. */
  by: string
}

const EXPIRED_DATA_DAY = 86_400
/** Seconds that the seed waits for the workers on a busy machine; unfinished data is missing in the demo. */
const PATIENCE = 120

/** Two picture messages of a former employee, older than the retention policy allows. */
function expiredFiles(now: number): DemoFiles {
  const [joined, left] = [now - 4000 * EXPIRED_DATA_DAY, now - 2500 * EXPIRED_DATA_DAY]
  return {
    tables: {
      'users.csv': `UserReference,Group,FirstName,Surname,IsActive,OnboardDate,OffboardDate\nlegacy-edna,South,Edna,Marsh,false,${joined},${left}\n`,
      'devices.csv': `DeviceReference,UserReference,legacy_phone_number,Model,ProvisionDate,ToDate,IsActive\nlegacy-edna-phone,legacy-edna,07700900178,Nexus 5,${joined},${left},false\n`,
      'payloads.csv':
        'LegacyPayloadReference,PayloadType,PayloadTime,DeviceReference,Direction,Parties,ThreadId,Text,MediaFile\n' +
        [30, 12]
          .map(
            (days, n) =>
              `OLD-${n + 1},MMS,${left - days * EXPIRED_DATA_DAY},legacy-edna-phone,I,+447700900811,supplier,The note,note-${n + 1}.png\n`,
          )
          .join(''),
    },
    media: { 'media/note-1.png': 'picture.png', 'media/note-2.png': 'picture.png' },
  }
}

/** Accepts a migration after its sample was opened, and runs retention, which issues a certificate. */
async function acceptAndDestroy(
  ctx: AppContext,
  { client_id, by }: DemoAccount,
  migration_reference: string,
): Promise<void> {
  const sampled = () => ctx.db.read(client_id, (q) => findSampled(q, migration_reference))
  if (!(await isSoon(async () => (await sampled()).every(({ is_processed }) => is_processed)))) return
  await ctx.db.write(client_id, async (tx) => {
    const now = ctx.now()
    const act = (action: string, parameters: object) =>
      noteDemoAct(ctx, tx, { by, at: now, action, parameters })
    for (const { payload_reference } of await findSampled(tx, migration_reference))
      await act('payloads:read', { payload_reference })
    await act('migrations:sign', { migration_reference })
    await signRun(tx, migration_reference, { now, by, explanation: null })
  })
  const { signal } = new AbortController()
  await carryOutRetention.run(ctx, {}, signal)
  await finishDestruction.run(ctx, {}, signal)
}

/** Waits until something is so, for some seconds at most; resolves to whether it is. */
async function isSoon(isSo: () => Promise<boolean>): Promise<boolean> {
  for (let waited = 0; waited < PATIENCE * 10; waited++) {
    if (await isSo()) return true
    await sleep(100)
  }
  return false
}

/** Recordings of the example in docs/migration.md. */
const MEDIA = fileURLToPath(new URL('../../../../docs/migration-example/media', import.meta.url))
const BY = 'alice'
const DAY = 86_400

/** Rows of a former employee: a call, messages, a picture, a call with separate data, and a duplicate row. */
function getFiles(now: number): Record<string, string> {
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

const EXAMPLE = { 'media/call-1001.wav': 'call-1001.wav', 'media/picture.png': 'picture.png' }

/**
 * Runs two migrations unless the account has one: the first is accepted and partly expired; the second waits for
 * acceptance. The drop folder is empty afterwards.
 */
export async function seedDemoMigrations(ctx: AppContext, client: string): Promise<void> {
  const account = await findClient(ctx.db, client)
  if (!account) return
  const hasRuns = await ctx.db.read(account.client_id, (q) =>
    countRuns(q, { from: 0, to: Number.MAX_SAFE_INTEGER }),
  )
  if (hasRuns > 0 || (await listFolder(dropFolder(ctx.config.dataDir, client))).length > 0) return
  const of = { client_id: account.client_id, client, by: BY }
  const old = await migrate(ctx, of, expiredFiles(ctx.now()))
  if (old !== undefined) await acceptAndDestroy(ctx, of, old)
  await migrate(ctx, of, { tables: getFiles(ctx.now()), media: EXAMPLE })
}

/** Carries out a migration of these files. Resolves to its reference; undefined: its end was waited for in vain. */
async function migrate(
  ctx: Pick<AppContext, 'db' | 'audit' | 'jobs' | 'now' | 'config'>,
  { client_id, client, by }: DemoAccount,
  { tables, media }: DemoFiles,
): Promise<string | undefined> {
  const folder = dropFolder(ctx.config.dataDir, client)
  await mkdir(join(folder, 'media'), { recursive: true, mode: 0o700 })
  for (const [name, text] of Object.entries(tables)) await writeFile(join(folder, name), text)
  for (const [name, example] of Object.entries(media))
    await copyFile(join(MEDIA, example), join(folder, name))
  const at = ctx.now()
  const parameters = { body: { is_dry_run: false } }
  const migration_reference = await ctx.db.write(client_id, async (tx) => {
    await noteDemoAct(ctx, tx, { by, at, action: 'migrations:create', parameters })
    return startRun(ctx, tx, client, { now: at, by, is_dry_run: false })
  })
  const isOver = await isSoon(
    async () => (await ctx.db.read(client_id, (q) => findRun(q, migration_reference)))?.migrated_at !== null,
  )
  // The user who runs it needs its files.
  if (!isOver) return undefined
  const dropped = [...Object.keys(tables), ...Object.keys(media)]
  for (const name of dropped) await removeDropped(folder, name)
  // The files are deleted here, so the job has nothing to erase.
  await ctx.db.write(client_id, async (tx) => {
    const erased = { migration_reference, erased: dropped.length, kept: 0 }
    await ctx.audit.appendWithin(
      tx,
      systemEntry({ client_id }, { at: ctx.now(), by: MIGRATION }, 'migrations:erase', erased),
    )
    await noteErased(tx, migration_reference, ctx.now())
  })
  return migration_reference
}
