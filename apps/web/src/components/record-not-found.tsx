import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { LinkTarget } from './lists/list-definition.ts'
import { StatusPage } from './status-page.tsx'

/** Shown for a record that does not exist or is not visible, with a link to its list. */
export function RecordNotFound(props: { back: LinkTarget; backLabel: ReactNode; children?: ReactNode }) {
  const { t } = useLingui()
  return (
    <StatusPage
      status="404"
      title={t`Data not found`}
      action={<Button renderRoot={(rest) => <Link {...rest} {...props.back} />}>{props.backLabel}</Button>}
    >
      {props.children ?? <Trans>This record does not exist, or you may not see it.</Trans>}
    </StatusPage>
  )
}
