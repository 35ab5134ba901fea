import { useLingui } from '@lingui/react/macro'
import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Confirm } from '../../ui/confirm.tsx'
import { ImpactView } from './impact.tsx'
import { isForbidden, type Review } from './use-review.ts'

/** Further content of the question, with its title and button. */
export interface QuestionTexts {
  title: string
  confirmLabel: string
  notice: ReactNode
}

/** Confirmation before saving rights that lock out, escalate or affect other roles. */
export function ImpactConfirm(props: {
  review: Review
  subject?: string
  texts?: QuestionTexts | undefined
  onConfirm: () => void
  onClose: () => void
}) {
  const { t } = useLingui()
  const { review, subject, texts } = props
  return (
    <Confirm
      title={isForbidden(review) ? t`This cannot be saved` : (texts?.title ?? t`Save all the same?`)}
      confirmLabel={texts?.confirmLabel ?? t`Save anyway`}
      isDangerous={texts === undefined}
      isForbidden={isForbidden(review)}
      size="lg"
      onConfirm={props.onConfirm}
      onClose={props.onClose}
    >
      <Stack gap="md">
        {texts?.notice}
        <ImpactView impact={review.impact} {...(subject === undefined ? {} : { subject })} />
      </Stack>
    </Confirm>
  )
}
