import { createFileRoute } from '@tanstack/react-router'
import { VerifyScreen } from '../screens/verify/verify-screen.tsx'

export const Route = createFileRoute('/verify')({ component: VerifyScreen })
