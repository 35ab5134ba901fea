import { createFileRoute } from '@tanstack/react-router'
import { read } from '../../../../routing/search.ts'
import { CreateRole } from '../../../../screens/roles/role-page.tsx'

export const Route = createFileRoute('/dashboard/access/roles/create')({
  validateSearch: (search: Record<string, unknown>): { from?: string | undefined } => ({
    from: read.text(search.from),
  }),
  component: CreateRole,
})
