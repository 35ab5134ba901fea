import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { formatDuration } from '../../../ui/time-format.ts'
import { partyText } from '../party-text.ts'
import type { Lane } from './lanes.ts'
import classes from './lanes.module.css'

/** Lanes shown at first: a conference may have a thousand. */
const SHORT = 6

const share = (seconds: number, length: number) => `${length > 0 ? (seconds / length) * 100 : 0}%`

/** Ringing and talk time of each second party, aligned with the waveform. */
export function PartyLanes({ lanes, length }: { lanes: readonly Lane[]; length: number }) {
  const { t, i18n } = useLingui()
  const [all, setAll] = useState(false)
  if (lanes.length === 0) return null
  return (
    <>
      <ul className={classes.lanes} aria-label={t`Parties over time`}>
        {(all ? lanes : lanes.slice(0, SHORT)).map((lane, index) => (
          // A party may call twice: the index is the only unique key.
          <li key={index}>
            <div className={classes.label}>
              <Text span size="sm" fw={600} truncate>
                {partyText(lane.party, i18n)}
              </Text>
              <Text span size="xs" c="dimmed" className="tabular">
                <LaneTimes lane={lane} />
              </Text>
            </div>
            <div className={classes.track} aria-hidden="true">
              <div
                className={classes.ringing}
                style={{
                  left: share(lane.from, length),
                  width: share((lane.connected ?? lane.until) - lane.from, length),
                }}
              />
              {lane.connected !== undefined && (
                <div
                  className={classes.talking}
                  style={{
                    left: share(lane.connected, length),
                    width: share(lane.until - lane.connected, length),
                  }}
                />
              )}
            </div>
          </li>
        ))}
      </ul>
      {lanes.length > SHORT && (
        <Button size="xs" variant="subtle" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? <Trans>Show fewer</Trans> : <Trans>Show all {lanes.length} parties</Trans>}
        </Button>
      )}
    </>
  )
}

function LaneTimes({ lane }: { lane: Lane }) {
  const from = formatDuration(lane.from)
  if (lane.connected === undefined) return <Trans>rang at {from}, not answered</Trans>
  const [connected, until] = [formatDuration(lane.connected), formatDuration(lane.until)]
  // Devices that record from the answer have no ringing to show.
  if (lane.connected <= lane.from)
    return (
      <Trans>
        connected {connected}–{until}
      </Trans>
    )
  return (
    <Trans>
      rang at {from}, connected {connected}–{until}
    </Trans>
  )
}
