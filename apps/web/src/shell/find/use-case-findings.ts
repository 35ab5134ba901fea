import { useLingui } from '@lingui/react/macro'
import { queryOptions } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { callQuery } from '../../api/call-keys.ts'
import { holdsApi, requestsApi } from '../../api/governance-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { SHORTEST_SEARCH } from '../../screens/payloads/suggestions.ts'
import { includesText } from '../../ui/text.ts'
import { visible } from '../../ui/visible.ts'
import type { Command } from './command.ts'
import { useAnswer } from './use-fleet-findings.ts'

/** Maximum matters and requests shown. */
const NAMED = 3
/** Open requests that are searched by their subject. */
const OPEN_REQUESTS = 100

const mattersQuery = (search: string) =>
  callQuery(holdsApi, 'listLegalMatters', { query: { search, limit: NAMED } })
const requestsQuery = () =>
  queryOptions({
    ...callQuery(requestsApi, 'listDataRequests', { query: { state: 'Open', limit: OPEN_REQUESTS } }),
    staleTime: 60_000,
  })

/** Legal matters by their name, and open data subject requests by their subject. */
export function useCaseFindings(typed: string) {
  const { t } = useLingui()
  const may = useMay()
  const navigate = useNavigate()
  const isSearched = typed.length >= SHORTEST_SEARCH
  const matters = useAnswer(
    typed,
    isSearched && may('account.legal_matters:list') && may('account.legal_matters:read'),
    mattersQuery,
  )
  const requests = useAnswer(
    typed,
    isSearched && may('account.data_requests:list') && may('account.data_requests:read'),
    requestsQuery,
  )
  const ofMatters = (matters.data?.data ?? []).map(({ matter_id, name }): Command => ({
    id: `matter ${matter_id}`,
    label: visible(name),
    detail: t`Legal matter`,
    icon: 'archive',
    go: () => navigate({ to: '/dashboard/governance/matters', search: { matter: matter_id } }),
  }))
  const ofRequests = (requests.data?.data ?? [])
    .filter(({ subject }) => includesText(subject, typed))
    .slice(0, NAMED)
    .map(({ data_request_id, subject }): Command => ({
      id: `request ${data_request_id}`,
      label: visible(subject),
      detail: t`Data subject request`,
      icon: 'user',
      go: () => navigate({ to: '/dashboard/governance/requests', search: { request: data_request_id } }),
    }))
  return { answers: [matters, requests], commands: [...ofMatters, ...ofRequests] }
}
