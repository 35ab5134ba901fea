import { ApiProblem } from '@custodia/client'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { LinkTarget } from './lists/list-definition.ts'
import { StatusPage } from './status-page.tsx'

/** Asking for a record by its reference alone failed for good: there is none, none for whoever asks, or no reference looks like this (400). */
export const isGone = (error: unknown): boolean =>
  error instanceof ApiProblem && (error.status === 404 || error.status === 400)

/** In place of a record that does not exist or may not be seen: says so, and leads back to its list. */
export function RecordGone(props: { back: LinkTarget; backLabel: ReactNode; children?: ReactNode }) {
  const { t } = useLingui()
  return (
    <StatusPage
      status="404"
      title={t`Data not found`}
      action={<Button renderRoot={(rest) => <Link {...rest} {...props.back} />}>{props.backLabel}</Button>}
    >
      {props.children ?? <Trans>There is no such record here, or you may not see it.</Trans>}
    </StatusPage>
  )
}
