import type { Total } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { totalText } from '../../components/lists/total-text.ts'
import { listOf, SERVICES } from '../payloads/services.ts'
import { CountLink } from './count-link.tsx'
import type { CountedList } from '../payloads/payload-totals.ts'

/** Count of a payload list, as a link. */
export function PayloadCount(props: {
  list: CountedList
  /** Undefined while unknown. */
  total: Total | undefined
  hasFailed: boolean
  isWorry: boolean
}) {
  const { i18n } = useLingui()
  const { service, search } = props.list
  const { total, isWorry } = props
  return (
    <CountLink
      to={listOf(service, search)}
      what={i18n._(SERVICES[service].title)}
      text={total && totalText(total, (count) => i18n.number(count))}
      hasFailed={props.hasFailed}
      look={!total?.total ? 'none' : isWorry ? 'worry' : 'some'}
    />
  )
}
