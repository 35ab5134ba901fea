import { RoleReference, type RoleReview } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../api/use-profile.ts'
import { type RoleDraft, rightsFaults, roleInput } from './role-draft.ts'
import { roleReviewQuery } from './role-queries.ts'

/** Debounce of typing, in milliseconds. */
const TYPING_PAUSE_MS = 400
export interface RolePreviewState {
  review: RoleReview | undefined
  /** The preview belongs to earlier values. */
  isStale: boolean
  /** The draft is incomplete: no new request. */
  isIncomplete: boolean
  isForbidden: boolean
  error: unknown
  retry: () => void
}

/** Live preview of the role in the editor. */
export function useRolePreview(draft: RoleDraft): RolePreviewState {
  const { t } = useLingui()
  const may = useMay()('roles:review')
  const [settled] = useDebouncedValue(draft, TYPING_PAUSE_MS)
  const isIncomplete = rightsFaults(settled).length > 0
  const reference = settled.role_reference.trim()
  const name = RoleReference.safeParse(reference).success ? reference : t`Role without name`
  const { data, error, isPlaceholderData, isFetching, refetch } = useQuery({
    ...roleReviewQuery(name, roleInput(settled)),
    enabled: may && !isIncomplete,
  })
  return {
    review: data,
    isStale: isPlaceholderData || (isFetching && data === undefined) || settled !== draft,
    isIncomplete,
    isForbidden: !may,
    error: data === undefined || !isPlaceholderData ? error : null,
    retry: () => void refetch(),
  }
}
