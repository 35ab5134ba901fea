import type { Page, PayloadSummary, Total } from '@custodia/contract'
import { api } from '../../api/api.ts'
import type { Paging } from '../lists/list-definition.ts'
import type { PayloadFilters } from './payload-filters.ts'

/** One page of payload summaries, newest first. */
export async function readPayloadPage(
  filters: PayloadFilters,
  paging: Paging,
  signal: AbortSignal,
): Promise<Page<PayloadSummary>> {
  const answer = await api.listPayloads({ query: { ...filters, ...paging } }, { signal })
  if ('total' in answer) throw new Error('a page was asked for, a total came')
  return answer
}

/** How many payloads match; counting may stop at a limit. */
export async function readPayloadTotal(filters: PayloadFilters, signal: AbortSignal): Promise<Total> {
  const answer = await api.listPayloads({ query: { ...filters, type: 'total' } }, { signal })
  if ('data' in answer) throw new Error('a total was asked for, a page came')
  return answer
}
