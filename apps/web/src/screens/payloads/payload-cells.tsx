import { type Mark, type PayloadState, type PayloadSummary, getService } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { lazy, Suspense } from 'react'
import { FaintText, Moment } from '../../components/cells.tsx'
import {
  heardWords,
  MARK_WORDS,
  PAYLOAD_STATE_WORDS,
  PAYLOAD_TYPE_WORDS,
} from '../../components/words/payload-words.ts'
import { SpecWord } from '../../components/words/spec-word.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { formatDuration } from '../../ui/time-format.ts'
import { visible } from '../../ui/visible.ts'
import { partyText } from './party-text.ts'
import { StateBadge } from './payload-badges.tsx'
import { getTimeWarnings } from './time-warnings.ts'
import classes from './payload-cells.module.css'

/** Cells of payload lists. They render for each row while scrolling: plain elements, native tooltips. */
interface CellProps {
  row: PayloadSummary
}

export const TimeCell = ({ row }: CellProps) => <Moment at={row.payload_time} zone={row.timezone} />

const RowPicture = lazy(async () => ({ default: (await import('./payload-tile.tsx')).RowPicture }))

export const PictureCell = ({ row }: CellProps) => (
  <Suspense>
    <RowPicture row={row} />
  </Suspense>
)

/** Labels and icons of directions (spec section 5). */
export const DIRECTION_STYLES = {
  I: { word: msg`Incoming`, icon: 'arrow-down-left' },
  O: { word: msg`Outgoing`, icon: 'arrow-up-right' },
  CC: { word: msg`In copy`, icon: 'messages' },
} as const satisfies Record<string, { word: MessageDescriptor; icon: IconName }>

export function DirectionCell({ row }: CellProps) {
  const { i18n } = useLingui()
  if (row.direction === undefined) return null
  const look = DIRECTION_STYLES[row.direction]
  return (
    <span className={classes.direction} data-direction={row.direction}>
      <Icon name={look.icon} size={15} />
      <span data-wide-only>{i18n._(look.word)}</span>
    </span>
  )
}

export function PartiesCell({
  row,
}: {
  row: Pick<PayloadSummary, 'parties' | 'party_count' | 'payload_type'>
}) {
  const { i18n, t } = useLingui()
  const parties = row.parties ?? []
  const [first] = parties
  if (first === undefined) return hasParties(row) ? <FaintText word={msg`Not known yet`} /> : null
  const more = (row.party_count ?? parties.length) - 1
  const all = parties
    .map((party) => [party.contact_name, party.phone_number].filter(Boolean).join(' '))
    .join('\n')
  const name = partyText(first, i18n)
  return (
    <span className={classes.parties} title={visible(all)}>
      <span className={classes.name} data-narrow-whole>
        {name}
      </span>
      {first.contact_name && first.phone_number !== null && (
        <span className={classes.number} data-narrow-drop>
          {visible(first.phone_number)}
        </span>
      )}
      {more > 0 && (
        <span className={classes.more} title={t`${more} more`}>
          +{more}
        </span>
      )}
    </span>
  )
}

/** Interviews, photos and the like have no second party. */
const hasParties = ({ payload_type }: Pick<PayloadSummary, 'payload_type'>): boolean =>
  ['calls', 'messages'].includes(getService(payload_type))

const INSTEAD_OF_DURATION = {
  AbortedCall: msg({ context: 'call', message: 'Aborted' }),
  BlockedCall: msg({ context: 'call', message: 'Blocked' }),
} as const

/** Duration of the recording; a call without one shows its outcome. Narrow rows show an unusual state instead. */
export function DurationCell({ row }: CellProps) {
  const { i18n } = useLingui()
  if (row.payload_type === 'AbortedCall' || row.payload_type === 'BlockedCall') {
    return (
      <span className={classes.instead} title={row.payload_type} data-gives-way>
        {i18n._(INSTEAD_OF_DURATION[row.payload_type])}
      </span>
    )
  }
  return row.duration === undefined ? null : <span data-gives-way>{formatDuration(row.duration)}</span>
}

export const UserCell = ({ row }: { row: Pick<PayloadSummary, 'device_user_reference' | 'person_name'> }) =>
  row.device_user_reference === null ? (
    <FaintText word={msg`None`} />
  ) : (
    <span title={visible(row.device_user_reference)}>
      {visible(row.person_name ?? row.device_user_reference)}
    </span>
  )

/** The model; without one the reference. */
export const DeviceCell = ({ row: { device_model, device_reference } }: CellProps) => (
  <span title={visible(device_reference)}>{visible(device_model ?? device_reference)}</span>
)

export const TypeCell = ({ row }: CellProps) => (
  <SpecWord value={row.payload_type} words={PAYLOAD_TYPE_WORDS} />
)

/** The usual states are quiet, and hidden in narrow rows, so that the others stand out. */
const USUAL: readonly PayloadState[] = ['Processed', 'Transferred']

export const StateCell = ({ row: { payload_state } }: CellProps) =>
  USUAL.includes(payload_state) ? (
    <span className={classes.quiet} data-wide-only>
      <SpecWord value={payload_state} words={PAYLOAD_STATE_WORDS} />
    </span>
  ) : (
    <span data-takes-room>
      <StateBadge state={payload_state} />
    </span>
  )

const MARK_STYLES = {
  reviewed: { word: MARK_WORDS.reviewed, icon: 'check' },
  flagged: { word: MARK_WORDS.flagged, icon: 'tag' },
  escalated: { word: MARK_WORDS.escalated, icon: 'warning' },
} as const satisfies Record<Mark, { word: MessageDescriptor; icon: IconName }>

/** Last mark; without one, whether it was heard or opened, where there is something to hear. */
export function ReviewCell({ row: { mark, heard, payload_type, payload_state } }: CellProps) {
  const { i18n } = useLingui()
  const result = heard && payload_state !== 'NotRecorded' && i18n._(heardWords(payload_type)[heard])
  if (mark === undefined)
    return result ? (
      <span className={classes.quiet} data-gives-way>
        {result}
      </span>
    ) : null
  const { word, icon } = MARK_STYLES[mark]
  return (
    <span className={classes.flag} data-tone={mark} title={result || undefined}>
      <Icon name={icon} size={13} />
      <span data-gives-way>{i18n._(word)}</span>
    </span>
  )
}

export const hasFlags = (row: PayloadSummary): boolean =>
  row.is_late || row.is_legacy || row.is_held === true || getTimeWarnings(row).length > 0

/** Small flags: implausible times, late upload, migrated, held. Narrow rows show their icons: the name needs the room. */
export function FlagsCell({ row }: CellProps) {
  const { t } = useLingui()
  if (!hasFlags(row)) return null
  return (
    <span className={classes.flags}>
      <TimeWarningFlag row={row} />
      {row.is_late && <Flag tone="late" icon="clock" word={t`Late`} />}
      {row.is_legacy && <Flag tone="legacy" icon="archive" word={t`Legacy`} />}
      {row.is_held && <Flag tone="held" icon="lock" word={t({ context: 'legally', message: 'On hold' })} />}
    </span>
  )
}

const Flag = (props: { tone: string; icon: IconName; word: string; title?: string }) => (
  <span className={classes.flag} data-tone={props.tone} title={props.title ?? props.word}>
    <Icon name={props.icon} size={12} />
    <span data-wide-only>{props.word}</span>
  </span>
)

function TimeWarningFlag({ row }: CellProps) {
  const { i18n, t } = useLingui()
  const warnings = getTimeWarnings(row)
  if (warnings.length === 0) return null
  const title = warnings.map((warning) => i18n._(warning)).join(' ')
  return <Flag tone="doubt" icon="warning" word={t`Uncertain time`} title={title} />
}
