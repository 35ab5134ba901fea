import { Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'

/** Prints the page as a document. */
export const PrintButton = ({ onClick = () => window.print(), loading = false }) => (
  <Button variant="default" loading={loading} onClick={onClick}>
    <Trans>Print</Trans>
  </Button>
)
