import type { Statistics } from '@custodia/contract'

/** Counted entities by their specification name (section 3). */
export type Figure = Statistics['tables'][number]
