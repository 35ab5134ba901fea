import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'

const screen = () => import('../../../screens/words/words-screen.tsx')

export const Route = createFileRoute('/dashboard/services/words')({
  component: lazyRouteComponent(screen, 'WordsScreen'),
  codeSplitGroupings: [],
})
