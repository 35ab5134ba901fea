import { TWO_PEOPLE_DAYS, type TwoPeople } from '@custodia/contract'
import { type AccessCache, accessIn } from '../access/load.ts'
import type { Handler, Handlers, PortalContext } from '../http/context.ts'
import { getVersion } from '../http/etag.ts'
import { Problem } from '../http/problem.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { assertPerson, propose } from './propose.ts'
import { DECIDED_ACTIONS, type DeferredAct, findLatelyHere, findRule, insertRule, lockRule } from './store.ts'

/** Of each act two people are needed. */
const NEEDED = 2

/** Handlers of the rule that acts wait for a second person. */
export const ruleRoutes = (access: AccessCache): Handlers<'readTwoPeople' | 'saveTwoPeople'> => ({
  readTwoPeople: (context) => context.read((q) => toResponse(access, q, getAsker(context))),
  saveTwoPeople: save(access),
})

interface Asker {
  client: string
  ip: string
}
const getAsker = ({ caller, ip }: PortalContext): Asker => ({ client: caller.client, ip })

async function toResponse(access: AccessCache, q: Queryable, asker: Asker): Promise<TwoPeople> {
  const rule = await findRule(q)
  return {
    client: asker.client,
    is_required: rule?.is_required ?? false,
    people: await countPeople(access, q, asker.ip),
    version: getVersion(['two people', rule?.version ?? 0]),
    updated_at: rule?.at ?? null,
    updated_by: rule?.by ?? null,
  }
}

/**
 * How many people with a recent sign-in may do each act.
 * @param ip address of the caller; network limits of the others are evaluated for it
 */
async function countPeople(access: AccessCache, q: Queryable, ip: string): Promise<TwoPeople['people']> {
  const [rights, here] = [await access.getRights(q), await findLatelyHere(q, TWO_PEOPLE_DAYS)]
  const each = here.map(({ roles, groups }) => accessIn(rights, { roles, groups, ip }))
  return DECIDED_ACTIONS.map((action) => ({ action, count: each.filter((may) => may.may(action)).length }))
}

/** Problem: too_few_people. */
async function assertEnough(access: AccessCache, q: Queryable, ip: string): Promise<void> {
  const people = await countPeople(access, q, ip)
  if (people.some(({ count }) => count < NEEDED)) throw new Problem('too_few_people')
}

/** Problems: already_proposed, person_required, too_few_people. */
function save(access: AccessCache): Handler<'saveTwoPeople'> {
  return async (context, { body: { is_required } }) =>
    context.write(async (tx) => {
      await lockRule(tx)
      const rule = await findRule(tx)
      if ((rule?.is_required ?? false) === is_required) return toResponse(access, tx, getAsker(context))
      assertPerson(context.caller)
      if (is_required) await assertEnough(access, tx, context.ip)
      return propose(context, tx, {
        subject: '',
        act: { kind: 'RequireTwoPeople', is_required },
        basis: { version: rule?.version ?? 0 },
        reason_id: null,
      })
    })
}

/** Switches dual control after a second person has confirmed it. Problem: too_few_people. */
export const switchingRule = (access: AccessCache, ip: string): DeferredAct<'RequireTwoPeople'> => ({
  async getBasis(tx) {
    await lockRule(tx)
    return { version: (await findRule(tx))?.version ?? 0 }
  },
  async carryOut(tx, { is_required }, as) {
    if (is_required) await assertEnough(access, tx, ip)
    await insertRule(tx, { is_required, by: as.by, confirmed_by: as.confirmed_by })
  },
})
