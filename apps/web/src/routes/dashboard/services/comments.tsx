import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { SearchOf } from '../../../components/lists/call-search.ts'

const list = () => import('../../../screens/comments/comments-list.tsx')

export const Route = createFileRoute('/dashboard/services/comments')({
  validateSearch: (search: Record<string, unknown>) => search as SearchOf<'listComments'>,
  component: lazyRouteComponent(list, 'CommentsList'),
  codeSplitGroupings: [],
})
