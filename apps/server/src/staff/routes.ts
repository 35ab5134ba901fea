import type { AppContext } from '../app-context.ts'
import { findClient } from '../clients/store.ts'
import type { Handlers } from '../http/context.ts'
import { isEmbedded } from '../identity-providers/store.ts'
import { listEmbeddedPeople, listPeopleOfSessions } from './store.ts'

/** Seconds for which staff are listed after a sign-in; as long as sessions are kept. */
const LISTED_SECONDS = 30 * 86_400

/**
 * The provider's own people. Identity providers offer no list, so it has people who signed in within thirty days, and
 * all people of the embedded provider.
 */
export const staffRoutes = (ctx: AppContext): Handlers<'listStaff'> => ({
  async listStaff({ caller, now }) {
    const { db } = ctx
    const own = await findClient(db, caller.client)
    const known = own && isEmbedded(ctx, own) ? await listEmbeddedPeople(db, caller.client) : []
    const seen = await listPeopleOfSessions(db, caller.client_id, now, now - LISTED_SECONDS)
    const people = new Map([...known, ...seen].map((person) => [person.user_reference, person]))
    return { data: [...people.values()].sort((a, b) => (a.user_reference < b.user_reference ? -1 : 1)) }
  },
})
