import { RESERVED_GROUP } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'

/** Name of a group; the reserved group for pending devices has a translated name. The tooltip has the original spelling. */
export function GroupName({ group }: { group: string | null | undefined }) {
  const { t } = useLingui()
  if (!group) return null
  return <span title={group}>{group === RESERVED_GROUP ? t`Waiting for confirmation` : group}</span>
}

interface Named {
  first_name: string | null
  surname: string | null
}

/** First name and surname; empty where neither is known. */
export const personName = ({ first_name, surname }: Named): string =>
  [first_name, surname].filter(Boolean).join(' ')
