import { Trans } from '@lingui/react/macro'

/** Effect of a restore: retention counts from the restore, where that is later. */
export const AfterRestoring = () => (
  <Trans>
    The retention period starts again on restoring. After it, the recording is deleted unless a hold protects
    it.
  </Trans>
)
