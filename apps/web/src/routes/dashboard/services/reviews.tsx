import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'

const screen = () => import('../../../screens/reviews/reviews-screen.tsx')

export const Route = createFileRoute('/dashboard/services/reviews')({
  component: lazyRouteComponent(screen, 'ReviewsScreen'),
  codeSplitGroupings: [],
})
