import { Conversation } from './conversation.tsx'
import { ObstaclePanel } from '../payloads/obstacle-panel.tsx'
import { PayloadDetail } from '../payloads/payload-detail.tsx'

/** Page of a message: its conversation. */
export function MessageDetail({ reference }: { reference: string }) {
  return (
    <PayloadDetail
      key={reference}
      reference={reference}
      service="messages"
      content={(payload, obstacle) =>
        payload.thread_id === undefined || obstacle === 'type_not_authorised' ? (
          <ObstaclePanel payload={payload} obstacle={obstacle ?? 'on_its_way'} />
        ) : (
          <Conversation payload={payload} threadId={payload.thread_id} />
        )
      }
    />
  )
}
