import type { PayloadSummary } from '@custodia/contract'
import { hasData } from '@custodia/domain/can'
import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { Moment } from '../../components/cells.tsx'
import { Icon } from '../../ui/icon.tsx'
import { formatDuration } from '../../ui/time-format.ts'
import { visible } from '../../ui/visible.ts'
import { ownerText } from './owner-text.ts'
import { PAYLOAD_TYPE_STYLES, StateBadge } from './payload-badges.tsx'
import { useThumbnail } from './thumbnails.ts'
import classes from './payload-tile.module.css'

/** Tile of a photo or video: thumbnail, person, time and notes. */
export default function PayloadTile({ row }: { row: PayloadSummary }) {
  return hasData(row) ? (
    <PictureTile row={row} />
  ) : (
    <Tile row={row} picture={<StateBadge state={row.payload_state} />} />
  )
}

function PictureTile({ row }: { row: PayloadSummary }) {
  return (
    <Tile
      row={row}
      picture={<Picture row={row} size={32} />}
      notes={useThumbnail(row.payload_reference)?.notes}
    />
  )
}

function Tile(props: { row: PayloadSummary; picture: ReactNode; notes?: string | undefined }) {
  const { row, notes } = props
  return (
    <span className={classes.tile}>
      <span className={classes.picture}>
        {props.picture}
        {row.duration !== undefined && <span className={classes.length}>{formatDuration(row.duration)}</span>}
      </span>
      <span className={classes.who}>{ownerText(row)}</span>
      <span className={classes.when}>
        <Moment at={row.payload_time} zone={row.timezone} />
      </span>
      {notes !== undefined && (
        <span className={classes.notes} title={visible(notes)}>
          {visible(notes)}
        </span>
      )}
    </span>
  )
}

/** Thumbnail of a row in a table. */
export function RowPicture({ row }: { row: PayloadSummary }) {
  return <span className={classes.small}>{hasData(row) && <Picture row={row} size={16} />}</span>
}

/** The thumbnail, an icon where none exists, or nothing while it is prepared. */
function Picture({ row, size }: { row: PayloadSummary; size: number }) {
  const { t } = useLingui()
  const thumbnail = useThumbnail(row.payload_reference)
  if (thumbnail === undefined) return null
  if (thumbnail.src === undefined)
    return (
      <span title={t`No thumbnail.`}>
        <Icon name={PAYLOAD_TYPE_STYLES[row.payload_type].icon} size={size} />
      </span>
    )
  // The notes describe the picture; person and time stand next to it.
  return (
    <img
      className={classes.image}
      src={thumbnail.src}
      alt={visible(thumbnail.notes ?? '')}
      decoding="async"
      draggable={false}
    />
  )
}
