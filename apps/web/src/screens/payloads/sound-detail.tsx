import { ObstaclePanel } from './obstacle-panel.tsx'
import { PayloadDetail } from './payload-detail.tsx'
import { Player } from './player/player.tsx'

/** Page of a call or interview: player, or why playback is unavailable. */
export const SoundDetail = (props: { reference: string; service: 'calls' | 'interviews' }) => (
  // The key remounts per recording: player, focus and scroll start over.
  <PayloadDetail
    key={props.reference}
    {...props}
    content={(payload, obstacle) =>
      obstacle === undefined ? (
        <Player payload={payload} />
      ) : (
        <ObstaclePanel payload={payload} obstacle={obstacle} />
      )
    }
  />
)
