import type { Profile } from '@custodia/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { profileQuery } from './queries.ts'

/** Profile of the signed-in user. Only below routes of the auth guard, which loads it. */
export const useProfile = (): Profile => useSuspenseQuery(profileQuery).data

/** Whether the signed-in user may do `action`, e.g. `payloads:play`. */
export function useMay(): (action: string) => boolean {
  const { actions } = useProfile()
  return (action) => actions.includes(action)
}
