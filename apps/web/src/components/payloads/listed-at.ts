import type { PayloadSummary } from '@custodia/contract'

/** The time under which a payload stands in lists, in epoch seconds. */
export const listedAt = ({
  payload_time,
  listed_at,
}: Pick<PayloadSummary, 'payload_time' | 'listed_at'>): number => listed_at ?? payload_time
