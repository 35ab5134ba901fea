import { Plural } from '@lingui/react/macro'
import { Switch } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { backgroundKinds } from './activity-filters.ts'

/** Includes automatic calls of portals and devices; shows how many actions are hidden otherwise. */
export function BackgroundSwitch({ caller }: { caller: 'people' | 'devices' }) {
  const navigate = useNavigate()
  const search: { background?: unknown } = useSearch({ strict: false })
  const kinds = useMemo(() => backgroundKinds(caller), [caller])
  const isShown = search.background === true || search.background === 'true'
  return (
    <Switch
      checked={isShown}
      onChange={() =>
        void navigate({
          to: '.',
          search: ((before: object) => ({ ...before, background: isShown ? undefined : true })) as never,
          resetScroll: false,
        })
      }
      label={
        <Plural
          value={kinds}
          one="Show # kind of background reads"
          other="Show # kinds of background reads"
        />
      }
    />
  )
}
