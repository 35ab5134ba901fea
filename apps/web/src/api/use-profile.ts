import type { Profile } from '@custodia/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { profileQuery } from './queries.ts'

/** The signed-in portal user. Only below routes that the auth guard covers, where it is loaded already. */
export const useProfile = (): Profile => useSuspenseQuery(profileQuery).data

/** Whether the signed-in user may do `action`, e.g. `payloads:play`. */
export function useMay(): (action: string) => boolean {
  const { actions } = useProfile()
  return (action) => actions.includes(action)
}
