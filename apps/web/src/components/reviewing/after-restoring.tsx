import { Trans } from '@lingui/react/macro'

/** What becomes of what is restored: retention counts from the restoring on, and today nothing is deleted by itself. */
export const AfterRestoring = () => (
  <Trans>
    No retention policy deletes recordings of this account now, so it stays. A policy that is set later counts
    its days from the restoring.
  </Trans>
)
