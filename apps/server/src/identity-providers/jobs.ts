import * as z from 'zod/mini'
import type { AppContext } from '../app-context.ts'
import { jobKind } from '../jobs/kind.ts'
import { carryOutFor } from '../proposals/end.ts'
import { lockProposal } from '../proposals/store.ts'
import { identityChange, lockBasis } from './change.ts'
import { findDueChanges, lockWaitingChange } from './store.ts'

/** Carries out the changes of clients that cannot sign in, once they had their time to stop them. */
export const changeIdentityProviders = jobKind({
  name: 'identity-providers.change',
  input: z.object({}),
  every: 60,
  async run(ctx) {
    for (const { client_id } of await findDueChanges(ctx.db)) await changeProviderOf(ctx, client_id)
  },
})

async function changeProviderOf(ctx: AppContext, client_id: number): Promise<void> {
  const act = identityChange(ctx)
  await ctx.db.write(client_id, async (tx) => {
    const basis = await lockBasis(tx)
    const change = await lockWaitingChange(tx)
    const proposal = change && (await lockProposal(tx, change.proposal_id))
    // Rejected or withdrawn meanwhile.
    if (proposal?.state !== 'waiting' || proposal.act.kind !== 'ChangeIdentityProvider') return
    const { seconded_by, takes_effect_at } = change ?? {}
    if (!seconded_by || !takes_effect_at || takes_effect_at > proposal.now) return
    await carryOutFor(tx, { ...proposal, act: proposal.act }, act, { basis, by: seconded_by })
  })
}
