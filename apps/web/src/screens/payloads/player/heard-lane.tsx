import type { PlayedPart } from '@custodia/contract'
import { boundParts } from '@custodia/domain/can'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useProfile } from '../../../api/use-profile.ts'
import { marksQuery } from '../actions/marks.ts'
import classes from './lanes.module.css'

/** What the user and others have heard, at the lower edge of the waveform. The review panel says it in words. */
export function HeardLane({
  payload_reference,
  mine,
  length,
}: {
  payload_reference: string
  mine: readonly PlayedPart[]
  length: number
}) {
  const { t } = useLingui()
  const { user_reference } = useProfile()
  // The review panel loads it.
  const { data } = useQuery({ ...marksQuery(payload_reference), enabled: false })
  const theirs = boundParts(
    (data?.listeners ?? []).flatMap(({ heard_by, parts = [] }) => (heard_by === user_reference ? [] : parts)),
    length,
  )
  if (length <= 0 || mine.length + theirs.length === 0) return null
  const drawn = (parts: readonly PlayedPart[], by: 'me' | 'others') =>
    parts.map(({ from, to }) => (
      <div
        key={`${by} ${from}`}
        className={classes.heard}
        data-by={by}
        style={{
          left: `${(from / length) * 100}%`,
          width: `${(Math.min(to, length) - from) * (100 / length)}%`,
        }}
      />
    ))
  return (
    <div className={classes.heardLane} aria-hidden="true" title={t`Heard parts`}>
      {drawn(theirs, 'others')}
      {drawn(boundParts(mine, length), 'me')}
    </div>
  )
}
