import { Trans } from '@lingui/react/macro'
import classes from './skip-link.module.css'

/** First focus stop: skips the navigation. */
export const SkipLink = () => (
  <a href="#main" className={classes.skip}>
    <Trans>Skip to content</Trans>
  </a>
)
