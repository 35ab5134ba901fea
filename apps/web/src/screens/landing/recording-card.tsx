import { Trans, useLingui } from '@lingui/react/macro'
import { Badge } from '@mantine/core'
import { Icon } from '../../ui/icon.tsx'
import classes from './recording-card.module.css'

/** Waveform heights: two alternating voices. */
const WAVE = Array.from({ length: 64 }, (_, index) => {
  const turn = Math.floor(index / 11) % 2
  const swell = Math.sin(((index % 11) / 11) * Math.PI)
  const grain = Math.abs(Math.sin(index * 12.9898) * 43_758.5453) % 1
  return { x: index * 6 + 2, half: 3 + swell * (14 + 24 * grain), caller: turn === 0 }
})

/** Illustration of a call in the archive, drawn with elements, so that it follows colour mode and language. */
export function RecordingCard() {
  const { t } = useLingui()
  return (
    <figure className={classes.card} aria-label={t`A recorded call in the archive`}>
      <div className={classes.head}>
        <span className={classes.type}>
          <Icon name="phone" size={18} />
        </span>
        <div className={classes.parties}>
          <strong className={classes.names}>
            Marina Duarte <Icon name="arrow-right" size={14} /> +44 20 7946 0018
          </strong>
          <span>
            <Trans>4 min 12 s · North desk</Trans>
          </span>
        </div>
        <Badge color="teal" leftSection={<Icon name="check" size={13} />}>
          <Trans context="state of a recording">Processed</Trans>
        </Badge>
      </div>
      <svg viewBox="0 0 388 96" className={classes.wave} aria-hidden="true" focusable="false">
        {WAVE.map(({ x, half, caller }) => (
          <line
            key={x}
            x1={x}
            x2={x}
            y1={48 - half}
            y2={48 + half}
            className={caller ? classes.caller : classes.called}
          />
        ))}
        <line x1="150" x2="150" y1="0" y2="96" className={classes.cursor} />
      </svg>
      <ul className={classes.trail}>
        <li>
          <Icon name="check" size={14} />
          <Trans>Sealed on the phone</Trans>
        </li>
        <li>
          <Icon name="check" size={14} />
          <Trans>Checksum verified on arrival</Trans>
        </li>
        <li>
          <Icon name="eye" size={14} />
          <Trans>Heard by one reviewer</Trans>
        </li>
      </ul>
    </figure>
  )
}
