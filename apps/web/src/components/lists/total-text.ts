import type { Total } from '@custodia/contract'

/** A count that stopped at the limit reads `10,000+`. */
export const totalText = ({ total, is_capped }: Total, number: (count: number) => string): string =>
  `${number(total)}${is_capped ? '+' : ''}`
