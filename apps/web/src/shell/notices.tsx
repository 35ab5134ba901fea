import { Notifications } from '@mantine/notifications'

/** Bottom centre, at most three at a time (spec section 1). */
export default function Notices() {
  return <Notifications position="bottom-center" limit={3} autoClose={6_000} />
}
