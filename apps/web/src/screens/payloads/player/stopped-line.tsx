import { Trans } from '@lingui/react/macro'
import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { formatDuration } from '../../../ui/time-format.ts'
import type { Playback, PlaybackView } from './playback.ts'

/** Offers to resume at the saved position (seconds) or to restart; hidden after the choice. */
export default function StoppedLine({
  stopped,
  playback,
  phase,
}: {
  stopped: number
  playback: Playback
  phase: PlaybackView['phase']
}) {
  const [isAnswered, setAnswered] = useState(false)
  if (isAnswered) return null
  const playFrom = (second: number) => () => {
    setAnswered(true)
    playback.seek(second)
    playback.play()
  }
  const at = formatDuration(stopped)
  return (
    <Group gap="xs">
      {phase === 'idle' && (
        <Button size="xs" variant="light" onClick={playFrom(stopped)}>
          <Trans>Continue from {at}</Trans>
        </Button>
      )}
      <Button size="xs" variant="default" onClick={playFrom(0)}>
        <Trans>From the start</Trans>
      </Button>
    </Group>
  )
}
