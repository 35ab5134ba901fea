import { createFileRoute } from '@tanstack/react-router'
import { MessageDetail } from '../../../../screens/messages/message-detail.tsx'

export const Route = createFileRoute('/dashboard/services/messages/$payload_reference')({
  component: () => <MessageDetail reference={Route.useParams().payload_reference} />,
})
