import { hash } from 'node:crypto'
import type { Answer, Api, HandlerInput } from '@custodia/contract'
import { raiseAlert } from '../../alerts/raise.ts'
import type { AppContext } from '../../app-context.ts'
import { tooManyRequests } from '../../http/admit.ts'
import type { Handler } from '../../http/context.ts'
import { nameOf } from '../../http/rate-limit.ts'
import { TokenBuckets } from '../../http/token-buckets.ts'
import { noteAlert } from './alert-store.ts'

/** Rate limit of alerts per device: people read them. */
const RATE = { per_second: 1 / 60, burst: 20 }
/** Seconds within which the same text without an id is one alert. */
const SAME_WORDS_SECONDS = 3600

type Stated = HandlerInput<Api['reportAlert']>['body']

/**
 * Raises an AndroidAlert in the device's group. A repeat raises nothing; the same subject of a device is one alert with
 * occurrences. Problem: too_many_requests.
 */
export function reportAlert(ctx: Pick<AppContext, 'config'>): Handler<'reportAlert'> {
  const buckets = ctx.config.rates.reports && new TokenBuckets(RATE)
  return async (context, { body }): Promise<Answer<Api['reportAlert']>> => {
    const { caller, now } = context
    const early = buckets?.take(nameOf(caller))
    if (early) throw tooManyRequests(context, early)
    const { device_id, device_reference, group_id } = caller
    await context.write(async (tx) => {
      if (!(await noteAlert(tx, device_id, idOf(body, now), now))) return
      await raiseAlert(tx, {
        alert_type: 'AndroidAlert',
        alert_scopes: ['ops'],
        alert_targets: ['client'],
        alert_key_type: 'Scoped',
        alert_key: `phone ${device_reference} ${digest(body.subject)}`,
        text: 'phone_reports',
        values: { device_reference, subject: body.subject, message: body.message },
        alert_severity: body.severity,
        related_entities: [{ entity_id: device_reference, entity_type: 'Device' }],
        group_id,
        now,
      })
    })
    return {}
  }
}

/** Identifies repeats by the device's id, else by the text within the hour. */
const idOf = ({ alert_id, ...words }: Stated, now: number): string =>
  alert_id ?? digest(JSON.stringify([words, Math.floor(now / SAME_WORDS_SECONDS)]))

const digest = (text: string): string => hash('sha256', text, 'base64url')
