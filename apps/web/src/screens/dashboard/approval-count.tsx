import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { keyOf } from '../../api/call-keys.ts'
import { totalText } from '../../components/lists/total-text.ts'
import { CountLink } from './count-link.tsx'

/** How many requests of the provider wait for somebody's yes or no. */
export function ApprovalCount() {
  const { t, i18n } = useLingui()
  const { data, error } = useQuery({
    queryKey: keyOf('listSupportAccess', 'total', 'pending'),
    queryFn: async ({ signal }) => {
      const answer = await api.listSupportAccess(
        { query: { states: ['pending'], type: 'total' } },
        { signal },
      )
      if ('data' in answer) throw new Error('a total was asked for, a page came')
      return answer
    },
    meta: { isWatch: true },
  })
  return (
    <CountLink
      to={{ to: '/dashboard/account/support-access', search: { state: 'pending' } }}
      what={t`Requests`}
      text={data && totalText(data, (count) => i18n.number(count))}
      hasFailed={error !== null}
      look={data?.total ? 'worry' : 'none'}
    />
  )
}
