import type { AlertTextCode } from '@custodia/contract'
import { raiseAlert } from '../alerts/raise.ts'
import type { Tx } from '../ports/database/lease.ts'
import {
  type CountedAct,
  countHanded,
  type Day,
  dayOf,
  type Handed,
  isCounted,
  noteNotified,
} from './access-days-store.ts'

/** How many times somebody's busiest day of a month before is no longer usual. */
const TIMES_BUSIEST = 3

const TEXTS: Readonly<Record<CountedAct, AlertTextCode>> = {
  'payloads:play': 'mass_playing',
  'payloads:download': 'mass_downloading',
  'profile.exports:create': 'mass_exporting',
  'payloads:export': 'mass_exporting',
}

/**
 * Counts what a person was handed, and tells the client's security staff once a day when it becomes unusually much: as much as the account's limit, and
 * three times what is usual of them. What is no mass access is not counted.
 */
export async function noteAccess(
  tx: Tx,
  handed: Omit<Handed, 'act'> & { act: string; user_reference: string },
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
    alert_targets: ['client'],
    alert_key_type: 'Scoped',
    alert_type: 'PortalUserAlert',
    alert_key: `mass ${act} ${actor}`,
    text: TEXTS[act],
    values: { user_reference: actor, count: String(day.count) },
    alert_severity: 'High',
    related_entities: [{ entity_id: user_reference, entity_type: 'PortalUser', day: dayOf(at), action: act }],
    now: at,
  })
}

/** From how many on a day of somebody is unusual. Days above the limit make nothing more usual than it, or it could be outgrown little by little. */
const unusualFrom = ({ limit, busiest }: Day): number =>
  Math.max(limit, TIMES_BUSIEST * Math.min(busiest, limit))
