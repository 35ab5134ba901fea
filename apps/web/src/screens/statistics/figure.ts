import type { Statistics } from '@custodia/contract'

/** What is counted, under the name or entity that the specification gives it (section 3). */
export type Figure = Statistics['tables'][number]
