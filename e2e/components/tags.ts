import type { Answer, Api } from '../../packages/contract/src/index.ts'

/** The tag that the forms edit. */
export const TAG: Answer<Api['readTag']> = {
  tag_key: 'region',
  tag_values: null,
  is_required: false,
  default_value: 'North',
  groups: 2,
  client: 'acme',
  version: '1',
  updated_at: 1_790_000_000,
  updated_by: 'bob',
}

export const NO_IMPACT = { locks_out: false, escalations: [], may_escalate: false, roles: [] }

/** A preview without consequences. */
export const NO_BROKEN_GROUPS: Answer<Api['reviewTag']> = {
  problems: [],
  warnings: [],
  broken_count: 0,
  broken_groups: [],
  impact: NO_IMPACT,
}
