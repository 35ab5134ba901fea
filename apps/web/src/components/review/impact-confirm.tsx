import { useLingui } from '@lingui/react/macro'
import { Confirm } from '../../ui/confirm.tsx'
import { ImpactView } from './impact.tsx'
import { isForbidden, type Review } from './use-review.ts'

/** Confirmation before saving rights that lock out, escalate or affect other roles. */
export function ImpactConfirm(props: {
  review: Review
  subject?: string
  onConfirm: () => void
  onClose: () => void
}) {
  const { t } = useLingui()
  const { review, subject } = props
  return (
    <Confirm
      title={isForbidden(review) ? t`This cannot be saved` : t`Save all the same?`}
      confirmLabel={t`Save anyway`}
      isDangerous
      isForbidden={isForbidden(review)}
      size="lg"
      onConfirm={props.onConfirm}
      onClose={props.onClose}
    >
      <ImpactView impact={review.impact} {...(subject === undefined ? {} : { subject })} />
    </Confirm>
  )
}
