import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { totalOf } from '../../api/all-pages.ts'
import { api } from '../../api/api.ts'
import { keyOf } from '../../api/call-keys.ts'
import { totalText } from '../../components/lists/total-text.ts'
import { CountLink } from './count-link.tsx'

/** Number of pending support access requests. */
export function ApprovalCount() {
  const { t, i18n } = useLingui()
  const { data, error } = useQuery({
    queryKey: keyOf('listSupportAccess', 'total', 'pending'),
    queryFn: ({ signal }) =>
      totalOf(api.listSupportAccess({ query: { states: ['pending'], type: 'total' } }, { signal })),
    meta: { isWatch: true },
  })
  return (
    <CountLink
      to={{ to: '/dashboard/account/support-access', search: { states: ['pending'] } }}
      what={t`Requests`}
      text={data && totalText(data, (count) => i18n.number(count))}
      hasFailed={error !== null}
      look={data?.total ? 'worry' : 'none'}
    />
  )
}
