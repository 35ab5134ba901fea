import { createFileRoute } from '@tanstack/react-router'
import { ServicesOverview } from '../../../screens/services/services-overview.tsx'

export const Route = createFileRoute('/dashboard/services/')({ component: ServicesOverview })
