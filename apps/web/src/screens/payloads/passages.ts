import { SNIPPETS_LIMIT, type Snippet } from '@custodia/contract'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { getKey } from '../../api/call-keys.ts'
import { useCurrentSearch } from '../../components/marked-text.tsx'

/** Batch window for rows that come into view, in milliseconds. */
const GATHER_MS = 60

type Passage = NonNullable<Snippet['passage']>

interface WantedPassage {
  payload_reference: string
  words: string
  signal: AbortSignal
  resolve: (passage: Passage | null) => void
  reject: (error: unknown) => void
}

let wanted: WantedPassage[] = []
let timer: ReturnType<typeof setTimeout> | undefined

/** Passage of a result of the current search; null: none. Read once, when its row is in view, because each read is audited. */
export function usePassage(payload_reference: string) {
  const search = useCurrentSearch()
  const words = search?.words ?? ''
  return useQuery({
    queryKey: getKey('readSnippets', search?.nth ?? 0, payload_reference),
    queryFn: ({ signal }) =>
      new Promise<Passage | null>((resolve, reject) => {
        wanted.push({ payload_reference, words, signal, resolve, reject })
        timer ??= setTimeout(() => void ask(), GATHER_MS)
      }),
    enabled: words !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30 * 60_000,
    meta: { silent: true },
  })
}

async function ask(): Promise<void> {
  // A row that was scrolled away meanwhile is not read.
  const inView = wanted.filter(({ signal }) => !signal.aborted)
  const words = inView[0]?.words ?? ''
  const now = inView.filter((each) => each.words === words).slice(0, SNIPPETS_LIMIT)
  wanted = inView.filter((each) => !now.includes(each))
  timer = wanted.length > 0 ? setTimeout(() => void ask(), GATHER_MS) : undefined
  if (now.length === 0) return
  try {
    const payload_references = now.map(({ payload_reference }) => payload_reference)
    const { data } = await api.readSnippets({ body: { words, payload_references } })
    const found = new Map(data.map(({ payload_reference, passage }) => [payload_reference, passage]))
    for (const { payload_reference, resolve } of now) resolve(found.get(payload_reference) ?? null)
  } catch (error) {
    for (const { reject } of now) reject(error)
  }
}
