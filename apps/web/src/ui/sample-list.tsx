import type { Sample } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'

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
