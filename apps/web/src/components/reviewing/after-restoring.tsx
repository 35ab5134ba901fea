import { Trans } from '@lingui/react/macro'

/** What becomes of what is restored: retention counts from the restoring on, where that is later. */
export const AfterRestoring = () => (
  <Trans>
    The retention period starts again on restoring. After it, the recording is deleted unless a hold protects
    it.
  </Trans>
)
