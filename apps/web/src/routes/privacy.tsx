import { createFileRoute } from '@tanstack/react-router'
import { PrivacyScreen } from '../screens/legal/privacy.tsx'

export const Route = createFileRoute('/privacy')({ component: PrivacyScreen })
