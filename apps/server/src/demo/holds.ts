import type { House } from '../house.ts'
import { countHolds, findHeldUser, type HoldAct, writeHold } from '../legal-holds/hold-store.ts'
import { sealReason } from '../legal-holds/reasons.ts'

/** Somebody of the demo who is held, and somebody who was, until a moment ago. */
const HELD = [
  { target: 'Nadia Volk', said: { set: 'Inquiry of the regulator into orders of September' } },
  {
    target: 'Oliver Grant',
    said: { set: 'Complaint of a client', released: 'The complaint was withdrawn' },
  },
] as const
const BY = 'alice'

/** Holds of people of the demo, unless the client has some already, or has none of these people. */
export async function seedHolds(
  house: Pick<House, 'db' | 'keys'>,
  { client_id, client }: { client_id: number; client: string },
): Promise<void> {
  const seal = (reason: string) => sealReason(house, client, reason)
  if (await house.db.read(client_id, (q) => countHolds(q, {}))) return
  for (const { target, said } of HELD) {
    const acts: Pick<HoldAct, 'act' | 'reason'>[] = [{ act: 'set', reason: await seal(said.set) }]
    if ('released' in said) acts.push({ act: 'released', reason: await seal(said.released) })
    await house.db.write(client_id, async (tx) => {
      const device_user_id = await findHeldUser(tx, target)
      if (device_user_id === undefined) return
      for (const act of acts)
        await writeHold(tx, { target_type: 'DeviceUser', target, device_user_id, by: BY, ...act })
    })
  }
}
