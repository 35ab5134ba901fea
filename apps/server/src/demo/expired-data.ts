import { setTimeout as sleep } from 'node:timers/promises'
import { finishDestruction } from '../destruction/jobs.ts'
import type { AppContext } from '../app-context.ts'
import { signRun } from '../migrations/sign-off-store.ts'
import { carryOutRetention } from '../retention/jobs.ts'
import { noteDemoAct } from './acts.ts'
import { findSampled } from './expired-data-store.ts'

/** Files of a legacy platform: tables by their names, and media by the names under which they lie in the example. */
export interface DemoFiles {
  tables: Readonly<Record<string, string>>
  media: Readonly<Record<string, string>>
}

export interface DemoAccount {
  client_id: number
  client: string
  /** Who acts. */
  by: string
}

const DAY = 86_400
/** Seconds that the seed waits for the workers on a busy machine; unfinished data is missing in the demo. */
const PATIENCE = 120

/** Two picture messages of a former employee, older than the retention policy allows. */
export function expiredFiles(now: number): DemoFiles {
  const [joined, left] = [now - 4000 * DAY, now - 2500 * DAY]
  return {
    tables: {
      'users.csv': `UserReference,Group,FirstName,Surname,IsActive,OnboardDate,OffboardDate\nlegacy-edna,South,Edna,Marsh,false,${joined},${left}\n`,
      'devices.csv': `DeviceReference,UserReference,legacy_phone_number,Model,ProvisionDate,ToDate,IsActive\nlegacy-edna-phone,legacy-edna,07700900178,Nexus 5,${joined},${left},false\n`,
      'payloads.csv':
        'LegacyPayloadReference,PayloadType,PayloadTime,DeviceReference,Direction,Parties,ThreadId,Text,MediaFile\n' +
        [30, 12]
          .map(
            (days, n) =>
              `OLD-${n + 1},MMS,${left - days * DAY},legacy-edna-phone,I,+447700900811,supplier,The note,note-${n + 1}.png\n`,
          )
          .join(''),
    },
    media: { 'media/note-1.png': 'picture.png', 'media/note-2.png': 'picture.png' },
  }
}

/** Accepts a migration after its sample was opened, and runs retention, which issues a certificate. */
export async function acceptAndDestroy(
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
export async function isSoon(isSo: () => Promise<boolean>): Promise<boolean> {
  for (let waited = 0; waited < PATIENCE * 10; waited++) {
    if (await isSo()) return true
    await sleep(100)
  }
  return false
}
