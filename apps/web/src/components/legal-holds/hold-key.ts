import { HOLD_TARGETS, type LegalHold } from '@custodia/contract'
import { holdsApi } from '../../api/holds-api.ts'
import { recordQuery } from '../../ui/form/record-query.ts'

type Target = Pick<LegalHold, 'target' | 'target_type'>

/** A hold as addresses name it: `DeviceUser/nina`. */
export const holdKey = ({ target_type, target }: Target): string => `${target_type}/${target}`

/** What a key means; what means nothing asks for a hold that there is not. */
function targetOf(key: string): Target {
  const target_type = HOLD_TARGETS.find((each) => key.startsWith(`${each}/`)) ?? 'PortalUser'
  return { target_type, target: key.slice(target_type.length + 1) }
}

/** A hold with its periods. */
export const holdQuery = recordQuery('readLegalHold', (key, options) =>
  holdsApi.readLegalHold({ params: targetOf(key), query: {} }, options),
)
