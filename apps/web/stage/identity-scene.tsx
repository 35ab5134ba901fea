import { useQuery } from '@tanstack/react-query'
import { lazy } from 'react'
import { clientsQuery } from '../src/components/clients/clients.ts'
import { withTexts } from '../src/i18n/i18n.ts'

const ProposalPreview = lazy(() => withTexts('lazy', import('../src/screens/proposals/proposal-preview.tsx')))

const IdentityDrawer = lazy(() => withTexts('lazy', import('../src/screens/clients/identity-drawer.tsx')))

/** Identity provider of the first client, as provider staff see it. */
export function IdentityScene() {
  const { data } = useQuery(clientsQuery)
  return data?.[0] ? <IdentityDrawer account={data[0]} onClose={() => {}} /> : null
}

/** A proposal, as the client sees it. */
export const ApprovalScene = () => <ProposalPreview rowKey="01K9Z000000000000000000PR1" row={undefined} />
