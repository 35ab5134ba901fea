import { findClient } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import type { Handlers } from '../http/context.ts'
import { isEmbedded } from '../identity-providers/store.ts'
import { listEmbeddedPeople, listPeopleOfSessions } from './store.ts'

/** Seconds for which somebody who signed in is listed; as long as sessions are remembered. */
const REMEMBERED = 30 * 86_400

/**
 * The provider's own people. They live in the identity provider, which cannot be asked for a list: who signed in within thirty days is
 * known, and on an installation with the embedded provider everybody.
 */
export const staffRoutes = (ctx: AppContext): Handlers<'listStaff'> => ({
  async listStaff({ caller, now }) {
    const { db } = ctx
    const own = await findClient(db, caller.client)
    const known = own && isEmbedded(ctx, own) ? await listEmbeddedPeople(db, caller.client) : []
    const seen = await listPeopleOfSessions(db, caller.client_id, now, now - REMEMBERED)
    const people = new Map([...known, ...seen].map((person) => [person.user_reference, person]))
    return { data: [...people.values()].sort((a, b) => (a.user_reference < b.user_reference ? -1 : 1)) }
  },
})
