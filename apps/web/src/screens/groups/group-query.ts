import { api } from '../../api/api.ts'
import { recordQuery } from '../../ui/form/record-query.ts'

/** A group, for its drawer and its preview. */
export const groupQuery = recordQuery('readGroup', (group_reference, options) =>
  api.readGroup({ params: { group_reference }, query: {} }, options),
)
