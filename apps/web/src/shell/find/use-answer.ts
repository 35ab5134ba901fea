import { useDebouncedValue } from '@mantine/hooks'
import { type QueryKey, useQuery, type UseQueryOptions } from '@tanstack/react-query'
import { PAUSE_MS } from '../../components/payloads/suggestions.ts'

/** An answer to what is typed now; of what was typed before there is none. */
export interface Answer<Data> {
  data: Data | undefined
  isPending: boolean
  /** Asks again; absent: it was answered. */
  retry?: (() => void) | undefined
}

/** What is typed, once whoever types has paused; undefined until then. */
export function useSettled(typed: string): string | undefined {
  const [settled] = useDebouncedValue(typed, PAUSE_MS)
  return settled === typed ? typed : undefined
}

/**
 * Asks for what is typed once it has settled, where there is anything to ask for. What was asked for earlier texts is broken off, and its
 * answers are not shown: Enter takes what stands there.
 */
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
