import type { PayloadSummary } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { hasData } from '@custodia/domain/can'
import { Icon } from '../../ui/icon.tsx'
import { formatDuration } from '../../ui/time-format.ts'
import { visible } from '../../ui/visible.ts'
import { Moment } from '../../components/cells.tsx'
import { PAYLOAD_TYPE_LOOKS, StateBadge } from './payload-badges.tsx'
import classes from './payload-tile.module.css'
import { useThumbnail } from './thumbnails.ts'

/** Tile of a photo or video: thumbnail, person and time. */
export default function PayloadTile({ row }: { row: PayloadSummary }) {
  return (
    <span className={classes.tile}>
      <span className={classes.picture}>
        {hasData(row) ? <Picture row={row} /> : <StateBadge state={row.payload_state} />}
        {row.duration !== undefined && <span className={classes.length}>{formatDuration(row.duration)}</span>}
      </span>
      <span className={classes.who}>{visible(row.device_user_reference ?? row.device_reference)}</span>
      <span className={classes.when}>
        <Moment at={row.payload_time} zone={row.timezone} />
      </span>
    </span>
  )
}

function Picture({ row }: { row: PayloadSummary }) {
  const { t } = useLingui()
  const look = useThumbnail(row.payload_reference)
  if (look === undefined) return null
  if (look === 'none')
    return (
      <span title={t`No thumbnail.`}>
        <Icon name={PAYLOAD_TYPE_LOOKS[row.payload_type].icon} size={32} />
      </span>
    )
  // No description of the picture exists; person and time are below.
  return <img className={classes.image} src={look.src} alt="" decoding="async" draggable={false} />
}
