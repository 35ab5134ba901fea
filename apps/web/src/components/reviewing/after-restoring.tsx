import { Trans } from '@lingui/react/macro'

/** What becomes of what is restored: retention counts from the restoring on, where that is later. */
export const AfterRestoring = () => (
  <Trans>
    The days of the retention policy count anew from the restoring. After them it is deleted again, unless
    something keeps it then.
  </Trans>
)
