import type { AlertTextCode } from '@custodia/contract'
import { raiseAlert } from '../alerts/raise.ts'
import { listClients } from '../clients/store.ts'
import { Problem } from '../http/problem.ts'
import { periodicJob } from '../jobs/kind.ts'
import type { Tx } from '../ports/database/lease.ts'
import {
  type CountedAct,
  countHanded,
  type Day,
  getDay,
  forgetOldDays,
  type CountedAccess,
  isCounted,
  noteNotified,
} from './access-days-store.ts'

/** Factor above a person's busiest day of the month before from which access is unusual. */
const TIMES_BUSIEST = 3

const TEXTS: Readonly<Record<CountedAct, AlertTextCode>> = {
  'payloads:play': 'mass_playing',
  'payloads:download': 'mass_downloading',
  'profile.exports:create': 'mass_exporting',
  'payloads:export': 'mass_exporting',
}

/**
 * Counts recordings that a person received. It alerts the client's security staff once a day when the count reaches
 * the account's limit and three times the person's usual. Access that cannot be mass access is not counted.
 */
export async function noteAccess(
  tx: Tx,
  handed: Omit<CountedAccess, 'act'> & { act: string; user_reference: string },
): Promise<void> {
  const { act, actor, user_reference, at } = handed
  if (!isCounted(act)) return
  const today = { ...handed, act }
  const day = await countHanded(tx, today)
  if (!day || day.is_reported || day.count < unusualFrom(day)) return
  await noteNotified(tx, today)
  await raiseAlert(tx, {
    group_id: null,
    alert_scopes: ['sec'],
    alert_type: 'PortalUserAlert',
    alert_key: `mass ${act} ${actor}`,
    text: TEXTS[act],
    values: { user_reference: actor, count: String(day.count) },
    alert_severity: 'High',
    related_entities: [
      { entity_id: user_reference, entity_type: 'PortalUser', day: getDay(at), action: act },
    ],
    now: at,
  })
}

/**
 * The count from which a day is unusual. Busy days raise it up to the limit only, so that slow growth cannot outgrow
 * it.
 */
const unusualFrom = ({ limit, busiest }: Day): number =>
  Math.max(limit, TIMES_BUSIEST * Math.min(busiest, limit))

/**
 * Throws if the account requires a reason and `reason` does not meet the requirement. Problem: reason_required.
 * @param asked reasons to choose from; empty for free text; null if the account requires none
 */
export function assertReason(asked: readonly string[] | null, reason: string | undefined): void {
  if (asked === null) return
  if (reason === undefined) throw new Problem('reason_required', { detail: 'no reason' })
  if (asked.length > 0 && !asked.includes(reason))
    throw new Problem('reason_required', { detail: 'none of the account’s reasons' })
}

/** Deletes daily counts that no longer define usual access; the audit log keeps the entries. */
export const purgeAccessDays = periodicJob({
  name: 'access_days.purge',
  every: 86_400,
  async run(ctx) {
    const now = ctx.now()
    for (const { client_id } of await listClients(ctx.db))
      await ctx.db.write(client_id, (tx) => forgetOldDays(tx, now))
  },
})
