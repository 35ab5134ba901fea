import { homeApi } from './home-api.ts'
import { nameOfUser } from './kept-session.ts'
import { profileQuery } from './queries.ts'
import { queryClient } from './query-client.ts'

/** Whether the new session belongs to the person whose input is on the page; its profile replaces the old one. */
export async function isSamePerson(): Promise<boolean> {
  const before = queryClient.getQueryData(profileQuery.queryKey)
  const now = await homeApi.readProfile({})
  const isSame =
    before?.user_reference === now.user_reference && before.client === now.client && now.support === null
  if (isSame) queryClient.setQueryData(profileQuery.queryKey, now)
  return isSame
}

/** The user of the session, as the storage of a tab names them. */
export const presentUser = async (): Promise<string> =>
  nameOfUser(await queryClient.ensureQueryData(profileQuery))
