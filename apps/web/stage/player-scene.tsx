import { useQuery } from '@tanstack/react-query'
import { PayloadDetail } from '../src/screens/payloads/payload-detail.tsx'
import { ObstaclePanel } from '../src/screens/payloads/obstacle-panel.tsx'
import { payloadQuery } from '../src/screens/payloads/queries.ts'
import { Player } from '../src/screens/payloads/player/player.tsx'

const REFERENCE = '01K9Z00000000000000000CALL'

/** The player of a call that the test serves, without a Suspense boundary above, as in the portal. */
export function PlayerScene() {
  const { data } = useQuery(payloadQuery(REFERENCE))
  return data ? <Player payload={data} /> : null
}

export const CallScene = () => (
  <PayloadDetail
    reference={REFERENCE}
    service="calls"
    content={(payload, obstacle) =>
      obstacle === undefined ? (
        <Player payload={payload} />
      ) : (
        <ObstaclePanel payload={payload} obstacle={obstacle} />
      )
    }
  />
)
