import { DEVICE_SERVICES, LOW_BATTERY, LOW_STORAGE, type TelemetryConcern } from '@custodia/contract'
import type { Bind } from '../../ports/database/binder.ts'

type Condition = (bind: Bind) => string

/** SQL conditions on the facts of a row `r`: an unreported fact is no concern. */
const CONCERNS: Readonly<Record<TelemetryConcern, string>> = {
  low_battery: `(r.facts->>'battery_percentage')::int < ${LOW_BATTERY}`,
  low_storage: `(r.facts->>'storage_available')::bigint < ${LOW_STORAGE}`,
  waiting_payloads: `(r.facts->>'queue_payloads')::bigint > 0`,
  not_whitelisted: `r.facts->'is_whitelisted' = 'false'`,
  no_device_admin: `r.facts->'is_device_admin' = 'false'`,
  roaming: `r.facts->'sims' @> '[{"is_roaming": true}]'`,
  ...(Object.fromEntries(
    DEVICE_SERVICES.map((service) => [`no_${service}`, `r.facts->'services'->'${service}' = 'false'`]),
  ) as Record<`no_${(typeof DEVICE_SERVICES)[number]}`, string>),
}

/** Fact filters of the telemetry lists. */
export interface FactsFilter {
  os_version?: string | undefined
  app_version?: string | undefined
  model?: string | undefined
  concerns?: readonly TelemetryConcern[] | undefined
}

/** SQL conditions of the filters on a row `r`. */
export const conditionsOf = ({ concerns, ...named }: FactsFilter): Condition[] => [
  ...(['os_version', 'app_version', 'model'] as const).flatMap((name): Condition[] => {
    const value = named[name]
    return value === undefined ? [] : [(bind) => `r.facts->>'${name}' = ${bind(value, 'text')}`]
  }),
  ...(concerns
    ? [() => `coalesce(${concerns.map((each) => `(${CONCERNS[each]})`).join(' or ')}, false)`]
    : []),
]
