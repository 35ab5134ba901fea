import { RESERVED_GROUP } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'

/** A group by its name; the one that is kept for what waits for confirmation in the reader's language. Its spelling is in the tooltip. */
export function GroupName({ group }: { group: string | null | undefined }) {
  const { t } = useLingui()
  if (!group) return null
  return <span title={group}>{group === RESERVED_GROUP ? t`Waiting for confirmation` : group}</span>
}
