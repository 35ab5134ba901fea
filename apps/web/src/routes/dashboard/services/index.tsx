import { createFileRoute, redirect } from '@tanstack/react-router'

/** The specification's overview of services: the home page shows it. */
export const Route = createFileRoute('/dashboard/services/')({
  beforeLoad: () => {
    throw redirect({ to: '/dashboard', replace: true })
  },
})
