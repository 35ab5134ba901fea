import { Trans } from '@lingui/react/macro'

/** Effect of a restore: retention counts from the restore, where that is later. */
export const AfterRestoring = () => (
  <Trans>
    The days of the retention policy count anew from the restoring. After them it is deleted again, unless
    something keeps it then.
  </Trans>
)
