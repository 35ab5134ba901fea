import { Trans } from '@lingui/react/macro'
import { Button, Group, Text } from '@mantine/core'
import { formatDuration } from '../../ui/time-format.ts'
import type { Pause } from './lanes.ts'
import classes from './lanes.module.css'
import type { Playback } from './playback.ts'

/** Where an interview was interrupted: hatched marks under the waveform, and a button to each place. */
export function PauseLane({
  pauses,
  length,
  playback,
}: {
  pauses: readonly Pause[]
  length: number
  playback: Playback
}) {
  if (pauses.length === 0) return null
  return (
    <div>
      <div className={classes.track} aria-hidden="true">
        {pauses.map(({ at }, index) => (
          <div
            key={index}
            className={classes.pause}
            style={{ left: `${length > 0 ? (at / length) * 100 : 0}%` }}
          />
        ))}
      </div>
      <Group gap={4} mt={4}>
        <Text size="sm" c="dimmed">
          <Trans>Paused at</Trans>
        </Text>
        {pauses.map(({ at, duration }, index) => {
          const [place, length] = [formatDuration(at), formatDuration(duration)]
          return (
            <Button
              key={index}
              size="compact-xs"
              variant="subtle"
              className="tabular"
              onClick={() => playback.seek(at)}
            >
              <Trans>
                {place} for {length}
              </Trans>
            </Button>
          )
        })}
      </Group>
    </div>
  )
}
