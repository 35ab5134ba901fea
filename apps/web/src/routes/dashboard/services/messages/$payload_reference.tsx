import { createFileRoute } from '@tanstack/react-router'
import { MessageDetail } from '../../../../screens/messages/conversation.tsx'

export const Route = createFileRoute('/dashboard/services/messages/$payload_reference')({
  /** A day of the conversation. */
  validateSearch: ({ at }: Record<string, unknown>): { at?: string } =>
    typeof at === 'string' ? { at } : {},
  staticData: {
    ahead: async ({ params: { payload_reference = '' } }): Promise<void> =>
      (await import('../../../../screens/payloads/queries.ts')).askForPayload(payload_reference),
  },
  component: () => <MessageDetail reference={Route.useParams().payload_reference} />,
})
