import { Trans } from '@lingui/react/macro'
import { Switch } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'

/** Shows the calls that portals and phones make on their own; the log hides them otherwise. */
export function BackgroundSwitch() {
  const navigate = useNavigate()
  const search: { background?: unknown } = useSearch({ strict: false })
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
      label={<Trans>Include system activity</Trans>}
    />
  )
}
