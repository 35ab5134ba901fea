import { createFileRoute } from '@tanstack/react-router'
import { CarriersScreen } from '../../screens/carriers/carriers-screen.tsx'

export const Route = createFileRoute('/internal/carriers')({ component: CarriersScreen })
