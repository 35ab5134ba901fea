import { useDebouncedValue } from '@mantine/hooks'
import { type QueryKey, useQuery, type UseQueryOptions } from '@tanstack/react-query'
import { PAUSE_MS } from '../../screens/payloads/suggestions.ts'

/** Answer for the current text; undefined for an earlier text. */
export interface Answer<Data> {
  data: Data | undefined
  isPending: boolean
  /** Retries; absent: answered. */
  retry?: (() => void) | undefined
}

/** The typed text after a pause; undefined before. */
export function useSettled(typed: string): string | undefined {
  const [settled] = useDebouncedValue(typed, PAUSE_MS)
  return settled === typed ? typed : undefined
}

/** Requests an answer for the settled text. Requests for earlier texts are aborted and never shown: Enter takes the visible result. */
export function useAnswer<Data, Key extends QueryKey>(
  typed: string,
  isWanted: boolean,
  queryOf: (settled: string) => UseQueryOptions<Data, Error, Data, Key>,
): Answer<Data> {
  const settled = useSettled(typed)
  const { data, isError, refetch } = useQuery({
    ...queryOf(settled ?? typed),
    enabled: isWanted && settled !== undefined,
    meta: { silent: true },
  })
  if (!isWanted) return { data: undefined, isPending: false }
  if (settled === undefined) return { data: undefined, isPending: true }
  return {
    data,
    isPending: data === undefined && !isError,
    retry: isError ? () => void refetch() : undefined,
  }
}
