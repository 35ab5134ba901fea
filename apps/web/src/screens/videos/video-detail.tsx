import { Player } from '../../components/player/player.tsx'
import { ObstaclePanel } from '../../components/payloads/obstacle-panel.tsx'
import { PayloadDetail } from '../../components/payloads/payload-detail.tsx'

/** The page of a video: see and hear it, or read why it cannot be played. */
export function VideoDetail({ reference }: { reference: string }) {
  return (
    <PayloadDetail
      // A page of its own for each recording: player, focus and scroll start anew.
      key={reference}
      reference={reference}
      service="videos"
      content={(payload, obstacle) =>
        obstacle === undefined ? (
          <Player payload={payload} />
        ) : (
          <ObstaclePanel payload={payload} obstacle={obstacle} />
        )
      }
    />
  )
}
