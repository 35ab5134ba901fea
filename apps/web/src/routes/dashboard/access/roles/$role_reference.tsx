import { createFileRoute } from '@tanstack/react-router'
import { EditRole } from '../../../../screens/roles/role-page.tsx'

export const Route = createFileRoute('/dashboard/access/roles/$role_reference')({
  component: EditRole,
})
