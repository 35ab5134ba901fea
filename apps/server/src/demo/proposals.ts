import { findClient } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import { isActive } from '../legal-holds/hold-store.ts'
import { keepReason, sealReason } from '../reasons/reasons.ts'
import { basisOfHold, nameOf } from '../legal-holds/release.ts'
import { setHold } from '../legal-holds/routes.ts'
import { writeProposal } from '../proposals/propose.ts'

/** A former employee from before this system. */
const HELD = { target_type: 'PortalUser', target: 'rita.lopes@acme.example' } as const
/** The proposer; a visitor who signs in as alice is the second person. */
const BY = 'ines'
const REASONS = {
  set: 'Complaint at the labour court',
  released: 'The court has closed the case',
} as const

/** A pending release of a hold, unless the account has the hold already. */
export async function seedDemoProposal(
  ctx: Pick<AppContext, 'db' | 'keys' | 'now'>,
  client: string,
): Promise<void> {
  const account = await findClient(ctx.db, client)
  if (!account) return
  const reason = await sealReason(ctx, client, REASONS.set)
  const released = await sealReason(ctx, client, REASONS.released)
  await ctx.db.write(account.client_id, async (tx) => {
    if (await isActive(tx, HELD)) return
    await setHold(tx, HELD, { by: BY, reason })
    const basis = await basisOfHold(tx, HELD)
    if (!basis) return
    const request = { subject: nameOf(HELD), act: { kind: 'ReleaseHold', ...HELD } as const, basis, by: BY }
    await writeProposal(tx, { ...request, reason_id: await keepReason(tx, released) }, ctx.now())
  })
}
