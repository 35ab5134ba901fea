import { createFileRoute } from '@tanstack/react-router'
import { CookiesScreen } from '../screens/legal/cookies.tsx'

export const Route = createFileRoute('/cookies')({ component: CookiesScreen })
