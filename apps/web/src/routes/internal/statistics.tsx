import { createFileRoute } from '@tanstack/react-router'
import { StatisticsScreen } from '../../screens/statistics/statistics-screen.tsx'

export const Route = createFileRoute('/internal/statistics')({ component: StatisticsScreen })
