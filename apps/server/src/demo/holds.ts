import { newId } from '../http/new-id.ts'
import type { AppContext } from '../app-context.ts'
import { countHolds, findHeldUser, writeHolds } from '../legal-holds/hold-store.ts'
import { addPeople, insertMatter } from '../legal-holds/matter-store.ts'
import { keepReason, sealReason } from '../reasons/reasons.ts'

/** Somebody of the demo who is held, and somebody who was, until a moment ago. */
const HELD = [
  { target: 'Nadia Volk', stated: { set: 'Inquiry of the regulator into orders of September' } },
  {
    target: 'Oliver Grant',
    stated: { set: 'Complaint of a client', released: 'The complaint was withdrawn' },
  },
] as const
/** A matter that is open, and who belongs to it besides her who is held: somebody who left before there was this system. */
const MATTER = {
  name: 'Orders of September',
  reason: 'Inquiry of the regulator',
  portal_user: 'quentin.harris@acme.example',
} as const
const BY = 'alice'

/** Holds and a matter of people of the demo, unless the client has some already, or has none of these people. */
export async function seedHolds(
  ctx: Pick<AppContext, 'db' | 'keys'>,
  { client_id, client }: { client_id: number; client: string },
): Promise<void> {
  if (await ctx.db.read(client_id, (q) => countHolds(q, {}))) return
  const seal = (reason: string) => sealReason(ctx, client, reason)
  for (const { target, stated } of HELD) {
    const acts = await Promise.all(
      Object.entries(stated).map(async ([act, reason]) => ({ act, reason: await seal(reason) })),
    )
    await ctx.db.write(client_id, async (tx) => {
      const device_user_id = await findHeldUser(tx, target)
      if (device_user_id === undefined) return
      for (const { act, reason } of acts)
        await writeHolds(tx, [{ target_type: 'DeviceUser', target, device_user_id }], {
          act: act as keyof typeof stated,
          by: BY,
          reason_id: await keepReason(tx, reason),
          matter_id: null,
        })
    })
  }
  const reason = await seal(MATTER.reason)
  await ctx.db.write(client_id, async (tx) => {
    const [{ target }] = HELD
    if ((await findHeldUser(tx, target)) === undefined) return
    const matter_id = newId()
    const reason_id = await keepReason(tx, reason)
    await insertMatter(tx, { matter_id, name: MATTER.name, by: BY, reason_id })
    const left = { target_type: 'PortalUser', target: MATTER.portal_user, device_user_id: null } as const
    await writeHolds(tx, [left], { act: 'set', by: BY, reason_id, matter_id })
    await addPeople(tx, matter_id, [{ target_type: 'DeviceUser', target }, left], BY)
  })
}
