import { createFileRoute } from '@tanstack/react-router'
import { CarriersScreen } from '../../screens/internal/carriers/carriers-screen.tsx'

export const Route = createFileRoute('/internal/carriers')({ component: CarriersScreen })
