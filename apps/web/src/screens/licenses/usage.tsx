import { useLingui } from '@lingui/react/macro'
import { Icon } from '../../ui/icon.tsx'
import { shareOf } from './share.ts'
import classes from './usage.module.css'

/** `90 / 100` with icon and word near the limit. */
export function Usage({ used, limit }: { used: number; limit: number }) {
  const { t, i18n } = useLingui()
  const share = shareOf(used, limit)
  const word = {
    none: t`none`,
    fine: undefined,
    near: t`nearly full`,
    full: t`full`,
    over: t`above the limit`,
  }[share]
  return (
    <span className={classes.usage} data-share={share}>
      <span className="tabular">
        {i18n.number(used)} / {i18n.number(limit)}
      </span>
      {word !== undefined && (
        <span className={classes.word}>
          {share !== 'none' && <Icon name="warning" size={13} />}
          {word}
        </span>
      )}
    </span>
  )
}
