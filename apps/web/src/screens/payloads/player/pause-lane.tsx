import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { formatDuration } from '../../../ui/time-format.ts'
import { type Pause, pauseGaps } from './lanes.ts'
import type { Playback } from './playback.ts'
import classes from './lanes.module.css'

/** Pauses listed at first: an interview may have a thousand. */
const SHORT = 8

/** Pauses of an interview as gaps in the waveform, with their length where it fits. */
export function PauseGaps({
  pauses,
  length,
  isBare,
}: {
  pauses: readonly Pause[]
  length: number
  /** Without a waveform the gaps are below the placeholder. */
  isBare: boolean
}) {
  const gaps = useMemo(() => pauseGaps(pauses, length), [pauses, length])
  if (length <= 0 || gaps.length === 0) return null
  return (
    <div className={classes.gaps} aria-hidden="true" data-bare={isBare || undefined}>
      {gaps.map(({ at, duration, hasRoom }, index) => (
        <div key={index} className={classes.gap} style={{ left: `${(at / length) * 100}%` }}>
          {hasRoom && (
            <span className={classes.gapLength} data-at-end={at > length * 0.9 || undefined}>
              {formatDuration(duration)}
            </span>
          )}
        </div>
      ))}
    </div>
  )
}

/** Pauses as buttons that seek to them. */
export function PauseList({ pauses, playback }: { pauses: readonly Pause[]; playback: Playback }) {
  const { t } = useLingui()
  const [all, setAll] = useState(false)
  if (pauses.length === 0) return null
  return (
    <section aria-label={t`Pauses`}>
      <Group gap={4}>
        <Text size="sm" c="dimmed">
          <Plural value={pauses.length} one="# pause" other="# pauses" />
        </Text>
        <Group gap={4} component="ul" className={classes.pauses} mah={all ? 180 : undefined}>
          {(all ? pauses : pauses.slice(0, SHORT)).map(({ at, duration }, index) => {
            const [place, length] = [formatDuration(at), formatDuration(duration)]
            return (
              <li key={index}>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  className="tabular"
                  onClick={() => playback.seek(at)}
                >
                  <Trans>
                    at {place} for {length}
                  </Trans>
                </Button>
              </li>
            )
          })}
        </Group>
        {pauses.length > SHORT && (
          <Button size="compact-sm" variant="subtle" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? <Trans>Show fewer</Trans> : <Trans>Show all {pauses.length} pauses</Trans>}
          </Button>
        )}
      </Group>
    </section>
  )
}
