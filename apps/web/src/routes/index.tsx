import { createFileRoute } from '@tanstack/react-router'
import { LandingScreen } from '../screens/landing/landing.tsx'

export const Route = createFileRoute('/')({ component: LandingScreen })
