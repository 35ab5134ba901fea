import { Player } from '../../components/player/player.tsx'
import { ObstaclePanel } from '../../components/payloads/obstacle-panel.tsx'
import { PayloadDetail } from '../../components/payloads/payload-detail.tsx'

/** The page of an interview: hear it with its pauses, or read why it cannot be heard. */
export function InterviewDetail({ reference }: { reference: string }) {
  return (
    <PayloadDetail
      // A page of its own for each recording: player, focus and scroll start anew.
      key={reference}
      reference={reference}
      service="interviews"
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
