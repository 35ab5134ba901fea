import { createFileRoute } from '@tanstack/react-router'
import { Licenses } from '../../../screens/licenses/licenses.tsx'

export const Route = createFileRoute('/dashboard/account/licenses')({ component: Licenses })
