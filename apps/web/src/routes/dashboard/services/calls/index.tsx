import { createFileRoute } from '@tanstack/react-router'
import { NotFoundPage } from '../../../../screens/errors/not-found-page.tsx'

export const Route = createFileRoute('/dashboard/services/calls/')({ component: NotFoundPage })
