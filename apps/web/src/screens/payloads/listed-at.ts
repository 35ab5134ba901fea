import type { PayloadSummary } from '@custodia/contract'

/** List time of a payload, in epoch seconds. */
export const listedAt = ({
  payload_time,
  listed_at,
}: Pick<PayloadSummary, 'payload_time' | 'listed_at'>): number => listed_at ?? payload_time
