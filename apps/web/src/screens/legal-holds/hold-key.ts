import { HOLD_TARGETS, type HoldTarget, type LegalHold } from '@custodia/contract'
import { holdsApi } from '../../api/holds-api.ts'
import { recordQuery } from '../../ui/form/record-query.ts'
import { msg } from '@lingui/core/macro'
import type { Words } from '../../components/words/spec-word.tsx'

type Target = Pick<LegalHold, 'target' | 'target_type'>

/** Key of a hold in addresses: `DeviceUser/nina`. */
export const holdKey = ({ target_type, target }: Target): string => `${target_type}/${target}`

/** Parses a key; an invalid key reads a hold that does not exist. */
function targetOf(key: string): Target {
  const target_type = HOLD_TARGETS.find((each) => key.startsWith(`${each}/`)) ?? 'PortalUser'
  return { target_type, target: key.slice(target_type.length + 1) }
}

export const holdQuery = recordQuery('readLegalHold', (key, options) =>
  holdsApi.readLegalHold({ params: targetOf(key), query: {} }, options),
)

/** Types of held people. */
export const HOLD_TARGET_WORDS: Words<HoldTarget> = {
  DeviceUser: msg`Device user`,
  PortalUser: msg`Portal user`,
}
