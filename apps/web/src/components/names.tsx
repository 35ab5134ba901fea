import { RESERVED_GROUP, type Sample } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'

/** Name of a group; the reserved group for pending devices has a translated name. The tooltip has the original spelling. */
export function GroupName({ group }: { group: string | null | undefined }) {
  const { t } = useLingui()
  if (!group) return null
  return <span title={group}>{group === RESERVED_GROUP ? t`Waiting for confirmation` : group}</span>
}

interface PersonNames {
  first_name: string | null
  surname: string | null
}

/** First name and surname; empty where neither is known. */
export const personName = ({ first_name, surname }: PersonNames): string =>
  [first_name, surname].filter(Boolean).join(' ')

/** A sample of names: 'all groups', '3 groups: North, South, West', '40 groups: North, South and 38 more'. */
export function GroupSample({ sample }: { sample: Sample }) {
  const { i18n } = useLingui()
  const { count, first, is_all, is_partial } = sample
  if (is_all) return <Trans>all groups</Trans>
  if (count === 0) return is_partial ? <Trans>none of your groups</Trans> : <Trans>no group</Trans>
  const names = new Intl.ListFormat(i18n.locale, { type: 'unit' }).format(first)
  const more = count - first.length
  return (
    <>
      <Plural value={count} one="# group" other="# groups" />
      {first.length > 0 && <>: {names}</>}
      {more > 0 && first.length > 0 && (
        <>
          {' '}
          <Plural value={more} one="and # more" other="and # more" />
        </>
      )}
    </>
  )
}
