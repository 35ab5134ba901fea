import { Trans } from '@lingui/react/macro'
import classes from './skip-link.module.css'

/** The first stop of the keyboard: past the navigation, to the content. */
export const SkipLink = () => (
  <a href="#main" className={classes.skip}>
    <Trans>Skip to content</Trans>
  </a>
)
